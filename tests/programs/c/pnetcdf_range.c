/* PnetCDF: a list of parts with a number out of range, in independent mode. The other numbers are written,
   and nothing is left pending.

       pnetcdf_range FILE */
#include <pnetcdf.h>

#include "check.h"

int main(int argc, char** argv) {
  int rank, ranks, file, dim, var, pending = -1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Offset start[2] = {2 * (MPI_Offset)rank, 2 * (MPI_Offset)rank + 1}, count = 1;
  MPI_Offset *starts[2] = {&start[0], &start[1]}, *counts[2] = {&count, &count};
  const int numbers[2] = {100000, 7};
  signed char got = 0;
  if (argc != 2) stop("arguments", "usage: pnetcdf_range FILE");
  check(ncmpi_create(MPI_COMM_WORLD, argv[1], NC_CLOBBER, MPI_INFO_NULL, &file) == NC_NOERR, "create");
  ncmpi_def_dim(file, "x", 2 * (MPI_Offset)ranks, &dim);
  ncmpi_def_var(file, "v", NC_BYTE, 1, &dim, &var);
  ncmpi_enddef(file);
  ncmpi_begin_indep_data(file);
  check(ncmpi_put_varn_int(file, var, 2, starts, counts, numbers) == NC_ERANGE, "the put's code");
  check(ncmpi_inq_nreqs(file, &pending) == NC_NOERR && pending == 0, "no request");
  check(ncmpi_get_var1_schar(file, var, &start[1], &got) == NC_NOERR && got == 7, "the other number");
  ncmpi_end_indep_data(file);
  check(ncmpi_close(file) == NC_NOERR, "close");
  return verdict();
}
