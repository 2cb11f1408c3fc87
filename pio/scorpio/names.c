/* PIO's names for the functions that differ in SCORPIO, for callers that pio.h does not reach:
 * SCORPIO's Fortran library. A program links with this before libcollio_pio.so, which has ParallelIO's
 * functions under these names. */
#define COLLIO_PIO_SCORPIO
#include "pio.h"
#undef PIOc_strerror
#undef PIOc_inq_var
#undef PIOc_inq_varname
#undef PIOc_writemap
#undef PIOc_writemap_from_f90
#undef PIOc_write_decomp
#undef PIOc_InitDecomp
#undef PIOc_init_decomp
#undef PIOc_set_buffer_size_limit

int PIOc_strerror(int pioerr, char* errmsg, size_t errmsg_size) {
  return collio_scorpio_strerror(pioerr, errmsg, errmsg_size);
}

int PIOc_inq_var(int ncid, int varid, char* name, int namelen, nc_type* xtypep, int* ndimsp, int* dimidsp,
                 int* nattsp) {
  return collio_scorpio_inq_var(ncid, varid, name, namelen, xtypep, ndimsp, dimidsp, nattsp);
}

int PIOc_inq_varname(int ncid, int varid, char* name, int namelen) {
  return collio_scorpio_inq_varname(ncid, varid, name, namelen);
}

int PIOc_writemap(const char* file, int ioid, int ndims, const int* gdims, PIO_Offset maplen,
                  const PIO_Offset* map, MPI_Comm comm) {
  return collio_scorpio_writemap(file, ioid, ndims, gdims, maplen, map, comm);
}

int PIOc_writemap_from_f90(const char* file, int ioid, int ndims, const int* gdims, PIO_Offset maplen,
                           const PIO_Offset* map, int f90_comm) {
  return collio_scorpio_writemap_from_f90(file, ioid, ndims, gdims, maplen, map, f90_comm);
}

int PIOc_write_decomp(const char* file, int iosysid, int ioid, MPI_Comm comm) {
  return collio_scorpio_write_decomp(file, iosysid, ioid, comm);
}

int PIOc_InitDecomp(int iosysid, int pio_type, int ndims, const int* gdimlen, int maplen,
                    const PIO_Offset* compmap, int* ioidp, const int* rearr, const PIO_Offset* iostart,
                    const PIO_Offset* iocount) {
  return collio_scorpio_InitDecomp(iosysid, pio_type, ndims, gdimlen, maplen, compmap, ioidp, rearr, iostart,
                                   iocount);
}

int PIOc_init_decomp(int iosysid, int pio_type, int ndims, const int* gdimlen, int maplen,
                     const PIO_Offset* compmap, int* ioidp, int rearranger, const PIO_Offset* iostart,
                     const PIO_Offset* iocount) {
  return collio_scorpio_init_decomp(iosysid, pio_type, ndims, gdimlen, maplen, compmap, ioidp, rearranger,
                                    iostart, iocount);
}

PIO_Offset PIOc_set_buffer_size_limit(PIO_Offset limit) {
  return collio_scorpio_set_buffer_size_limit(limit);
}
