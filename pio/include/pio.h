/* PIO's C interface over collio: programs that call PIOc_*() compile with this header and link with
 * libcollio_pio.so. Names, signatures and values are those of ParallelIO 2.6; with COLLIO_PIO_SCORPIO
 * defined, those of E3SM's SCORPIO where the two differ. docs/how-to/pio.md lists what is covered.
 *
 * Every function is collective over the ranks of its I/O system, and returns PIO_NOERR or a negative code.
 * collio_pio_error_text() says what failed.
 */
#ifndef COLLIO_PIO_H
#define COLLIO_PIO_H

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_include)
#if __has_include(<netcdf.h>)
#include <netcdf.h>
#ifndef _NETCDF
#define _NETCDF 1
#endif
#endif
#endif
#include <pnetcdf.h>

/* Programs ask by these which I/O types there are. Files are classic netCDF: _NETCDF4 is not defined. */
#ifndef _PNETCDF
#define _PNETCDF 1
#endif

#define PIO_Offset MPI_Offset
#define PIO_OFFSET MPI_OFFSET

#define PIO_DEFAULT (-1)
#define PIO_MAX_VARS 8192
#define PIO_MAX_DIMS 1024
#define PIO_MAX_NAME NC_MAX_NAME
#define PIO_MAX_VAR_DIMS 1024
#define PIO_GLOBAL NC_GLOBAL
#define PIO_UNLIMITED NC_UNLIMITED

enum PIO_IOTYPE {
  PIO_IOTYPE_PNETCDF = 1,  /* classic netCDF */
  PIO_IOTYPE_NETCDF = 2,   /* the same */
  PIO_IOTYPE_NETCDF4C = 3, /* not covered, as all that follow */
  PIO_IOTYPE_NETCDF4P = 4,
#ifdef COLLIO_PIO_SCORPIO
  PIO_IOTYPE_NETCDF4P_NCZARR = 5,
  PIO_IOTYPE_ADIOS = 6,
  PIO_IOTYPE_ADIOSC = 7,
  PIO_IOTYPE_HDF5 = 8,
  PIO_IOTYPE_HDF5C = 9
#else
  PIO_IOTYPE_GDAL = 5
#endif
};

enum PIO_ERROR_HANDLERS {
  PIO_INTERNAL_ERROR = -51, /* prints the error and aborts the job; the default */
  PIO_BCAST_ERROR = -52,    /* returns the code, as all that follow */
#ifdef COLLIO_PIO_SCORPIO
  PIO_REDUCE_ERROR = -53,
  PIO_RETURN_ERROR = -54
#else
  PIO_RETURN_ERROR = -53
#endif
};

/* Accepted, and without effect: collio exchanges data in its own ways. */
enum PIO_REARRANGERS {
  PIO_REARR_BOX = 1,
  PIO_REARR_SUBSET = 2,
#ifdef COLLIO_PIO_SCORPIO
  PIO_REARR_ANY = 3,
  PIO_REARR_CONTIG = 4
#endif
};
enum PIO_REARR_COMM_TYPE { PIO_REARR_COMM_P2P = 0, PIO_REARR_COMM_COLL };
enum PIO_REARR_COMM_FC_DIR {
  PIO_REARR_COMM_FC_2D_ENABLE = 0,
  PIO_REARR_COMM_FC_1D_COMP2IO,
  PIO_REARR_COMM_FC_1D_IO2COMP,
  PIO_REARR_COMM_FC_2D_DISABLE
};
#define PIO_REARR_COMM_UNLIMITED_PEND_REQ (-1)

#include "pio_names.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The text of this process's last error: what failed, the value, what is allowed. Not part of PIO. */
const char* collio_pio_error_text(void);

/* ---- I/O systems ---- */

int PIOc_Init_Intracomm(MPI_Comm comm, int num_iotasks, int stride, int base, int rearranger, int* iosysidp);
int PIOc_finalize(int iosysid);
int PIOc_free_iosystem(int iosysid);
int PIOc_Set_IOSystem_Error_Handling(int iosysid, int method); /* returns the method before */
int PIOc_set_iosystem_error_handling(int iosysid, int method, int* old_method);
int PIOc_Set_File_Error_Handling(int ncid, int method); /* returns the method before */
int PIOc_iam_iotask(int iosysid, bool* ioproc);
int PIOc_iotask_rank(int iosysid, int* iorank);
int PIOc_get_numiotasks(int iosysid, int* numiotasks);
int PIOc_iosystem_is_active(int iosysid, bool* active);
int PIOc_iotype_available(int iotype);
int PIOc_set_rearr_opts(int iosysid, int comm_type, int fcd, bool enable_hs_c2i, bool enable_isend_c2i,
                        int max_pend_req_c2i, bool enable_hs_i2c, bool enable_isend_i2c,
                        int max_pend_req_i2c);
typedef struct rearr_comm_fc_opt {
  bool hs, isend;
  int max_pend_req;
} rearr_comm_fc_opt_t;
typedef struct rearr_opt {
  int comm_type, fcd;
  rearr_comm_fc_opt_t comp2io, io2comp;
} rearr_opt_t;
/* As PIO's Fortran library calls it: the Fortran handle of a communicator. `rearr_opts` may be null. */
int PIOc_Init_Intracomm_from_F90(int f90_comp_comm, const int num_iotasks, const int stride, const int base,
                                 const int rearr, rearr_opt_t* rearr_opts, int* iosysidp);
/* I/O tasks apart from the ranks that compute, in components of one system each. I/O tasks wait in the call
 * until all components have freed theirs: collio writes with the ranks that compute. Collective over all of
 * them. A system's id is -1 on ranks that are not in it. */
int PIOc_init_async(MPI_Comm world, int num_io_procs, COLLIO_PIO_CONST int* io_proc_list, int component_count,
                    COLLIO_PIO_CONST int* num_procs_per_comp, COLLIO_PIO_CONST int** proc_list,
                    MPI_Comm* io_comm, MPI_Comm* comp_comm, int rearranger, int* iosysidp);
int PIOc_init_async_from_comms(MPI_Comm world, int component_count, MPI_Comm* comp_comm, MPI_Comm io_comm,
                               int rearranger, int* iosysidp);
int PIOc_init_intercomm(int component_count, const MPI_Comm peer_comm, const MPI_Comm* comp_comms,
                        const MPI_Comm io_comm, int rearranger, int* iosysidps);
int PIOc_init_async_from_F90(int f90_world_comm, int num_io_procs, int* io_proc_list, int component_count,
                             int* procs_per_component, int* flat_proc_list, int* f90_io_comm,
                             int* f90_comp_comm, int rearranger, int* iosysidp);
int PIOc_init_async_comms_from_F90(int f90_world_comm, int component_count, int* f90_comp_comms,
                                   int f90_io_comm, int rearranger, int* iosysidp);
int PIOc_Init_Intercomm_from_F90(int component_count, int f90_peer_comm, const int* f90_comp_comms,
                                 int f90_io_comm, int rearranger, int* iosysidps);
int PIOc_set_hint(int iosysid, const char* hint, const char* hintval); /* collio's hints, too */
int PIOc_set_blocksize(int newblocksize);
int PIOc_set_log_level(int level); /* 0 and more: print every error */
int PIOc_set_global_log_level(int iosysid, int level);
/* Bytes of arrays that a rank keeps before they are written; returns the limit before. Below 1 it stays; with
 * SCORPIO below 0. */
PIO_Offset PIOc_set_buffer_size_limit(PIO_Offset limit);

/* ---- decompositions ---- */

/* compmap[i]: element of the array, from 1 on, that local element i is; 0: none. */
int PIOc_InitDecomp(int iosysid, int pio_type, int ndims, const int* gdimlen, int maplen,
                    const PIO_Offset* compmap, int* ioidp, const int* rearr, const PIO_Offset* iostart,
                    const PIO_Offset* iocount);
int PIOc_InitDecomp_ReadOnly(int iosysid, int pio_type, int ndims, const int* gdimlen, int maplen,
                             const PIO_Offset* compmap, int* ioidp, const int* rearr,
                             const PIO_Offset* iostart, const PIO_Offset* iocount);
/* The same from 0 on; -1: none. */
int PIOc_init_decomp(int iosysid, int pio_type, int ndims, const int* gdimlen, int maplen,
                     const PIO_Offset* compmap, int* ioidp, int rearranger, const PIO_Offset* iostart,
                     const PIO_Offset* iocount);
int PIOc_InitDecomp_bc(int iosysid, int basetype, int ndims, const int* gdimlen, const long int* start,
                       const long int* count, int* ioidp);
int PIOc_freedecomp(int iosysid, int ioid);
int PIOc_get_local_array_size(int ioid);
/* Text files with the maps of all ranks, as PIO has them. Maps are from 1 on; 0: none. All ranks of `comm`
   call. SCORPIO writes the decomposition's id, too. */
#ifdef COLLIO_PIO_SCORPIO
int PIOc_writemap(const char* file, int ioid, int ndims, const int* gdims, PIO_Offset maplen,
                  const PIO_Offset* map, MPI_Comm comm);
int PIOc_writemap_from_f90(const char* file, int ioid, int ndims, const int* gdims, PIO_Offset maplen,
                           const PIO_Offset* map, int f90_comm);
#else
int PIOc_writemap(const char* file, int ndims, const int* gdims, PIO_Offset maplen, const PIO_Offset* map,
                  MPI_Comm comm);
int PIOc_writemap_from_f90(const char* file, int ndims, const int* gdims, PIO_Offset maplen,
                           const PIO_Offset* map, int f90_comm);
#endif
int PIOc_write_decomp(const char* file, int iosysid, int ioid, MPI_Comm comm);
/* The program frees *gdims and *map. The file may have fewer ranks than `comm`: those behind get no map. */
int PIOc_readmap(const char* file, int* ndims, int** gdims, PIO_Offset* fmaplen, PIO_Offset** map,
                 MPI_Comm comm);
int PIOc_readmap_from_f90(const char* file, int* ndims, int** gdims, PIO_Offset* maplen, PIO_Offset** map,
                          int f90_comm);
/* netCDF files with the maps of all ranks, as PIO has them, for arrays of up to 2^31 elements. A file has as
   many maps as the system has ranks. `title`, `history`: null, or up to PIO_MAX_NAME letters; null where they
   are not wanted. */
int PIOc_write_nc_decomp(int iosysid, const char* filename, int cmode, int ioid, COLLIO_PIO_CONST char* title,
                         COLLIO_PIO_CONST char* history, int fortran_order);
int PIOc_read_nc_decomp(int iosysid, const char* filename, int* ioid, MPI_Comm comm, int pio_type,
                        char* title, char* history, int* fortran_order);

/* ---- distributed arrays ---- */

int PIOc_setframe(int ncid, int varid, int frame);
int PIOc_advanceframe(int ncid, int varid);
/* The array may change when this returns. The data are in the file after PIOc_sync() or PIOc_closefile(). */
int PIOc_write_darray(int ncid, int varid, int ioid, PIO_Offset arraylen, const void* array,
                      const void* fillvalue);
int PIOc_write_darray_multi(int ncid, const int* varids, int ioid, int nvars, PIO_Offset arraylen,
                            const void* array, const int* frame, COLLIO_PIO_FILLVALUES fillvalue,
                            bool flushtodisk);
int PIOc_read_darray(int ncid, int varid, int ioid, PIO_Offset arraylen, void* array);
int PIOc_put_vard(int ncid, int varid, int decompid, const PIO_Offset recnum, const void* buf);
int PIOc_get_vard(int ncid, int varid, int decompid, const PIO_Offset recnum, void* buf);

/* ---- files ---- */

int PIOc_createfile(int iosysid, int* ncidp, const int* iotype, const char* fname, int mode);
int PIOc_create(int iosysid, const char* path, int cmode, int* ncidp);
int PIOc_openfile(int iosysid, int* ncidp, int* iotype, const char* fname, int mode);
int PIOc_openfile2(int iosysid, int* ncidp, int* iotype, const char* fname, int mode);
int PIOc_open(int iosysid, const char* path, int mode, int* ncidp);
int PIOc_closefile(int ncid);
int PIOc_deletefile(int iosysid, const char* filename);
int PIOc_File_is_Open(int ncid);
int PIOc_redef(int ncid);
int PIOc_enddef(int ncid);
int PIOc_sync(int ncid);

/* ---- dimensions and variables ---- */

int PIOc_inq(int ncid, int* ndimsp, int* nvarsp, int* ngattsp, int* unlimdimidp);
int PIOc_inq_ndims(int ncid, int* ndimsp);
int PIOc_inq_nvars(int ncid, int* nvarsp);
int PIOc_inq_natts(int ncid, int* ngattsp);
int PIOc_inq_unlimdim(int ncid, int* unlimdimidp);
int PIOc_inq_unlimdims(int ncid, int* nunlimdimsp, int* unlimdimidsp);
int PIOc_inq_format(int ncid, int* formatp);
int PIOc_inq_type(int ncid, nc_type xtype, char* name, PIO_Offset* sizep);
int PIOc_def_dim(int ncid, const char* name, PIO_Offset len, int* idp);
int PIOc_inq_dim(int ncid, int dimid, char* name, PIO_Offset* lenp);
int PIOc_inq_dimid(int ncid, const char* name, int* idp);
int PIOc_inq_dimname(int ncid, int dimid, char* name);
int PIOc_inq_dimlen(int ncid, int dimid, PIO_Offset* lenp);
int PIOc_rename_dim(int ncid, int dimid, const char* name);
int PIOc_def_var(int ncid, const char* name, nc_type xtype, int ndims, const int* dimidsp, int* varidp);
int PIOc_inq_varid(int ncid, const char* name, int* varidp);
int PIOc_inq_vartype(int ncid, int varid, nc_type* xtypep);
int PIOc_inq_varndims(int ncid, int varid, int* ndimsp);
int PIOc_inq_vardimid(int ncid, int varid, int* dimidsp);
int PIOc_inq_varnatts(int ncid, int varid, int* nattsp);
int PIOc_rename_var(int ncid, int varid, const char* name);
int PIOc_set_fill(int ncid, int fillmode, int* old_modep);
int PIOc_def_var_fill(int ncid, int varid, int no_fill, const void* fill_value);
int PIOc_inq_var_fill(int ncid, int varid, int* no_fill, void* fill_valuep);
/* Of netCDF-4 files alone: PIO_ENOTNC4, as in PIO for classic files. */
int PIOc_def_var_deflate(int ncid, int varid, int shuffle, int deflate, int deflate_level);
int PIOc_inq_var_deflate(int ncid, int varid, int* shufflep, int* deflatep, int* deflate_levelp);
int PIOc_def_var_chunking(int ncid, int varid, int storage, const PIO_Offset* chunksizesp);
int PIOc_inq_var_chunking(int ncid, int varid, int* storagep, PIO_Offset* chunksizesp);
int PIOc_def_var_endian(int ncid, int varid, int endian);
int PIOc_inq_var_endian(int ncid, int varid, int* endianp);
int PIOc_set_var_chunk_cache(int ncid, int varid, PIO_Offset size, PIO_Offset nelems, float preemption);
int PIOc_get_var_chunk_cache(int ncid, int varid, PIO_Offset* sizep, PIO_Offset* nelemsp, float* preemptionp);
int PIOc_set_chunk_cache(int iosysid, int iotype, PIO_Offset size, PIO_Offset nelems, float preemption);
int PIOc_get_chunk_cache(int iosysid, int iotype, PIO_Offset* sizep, PIO_Offset* nelemsp, float* preemptionp);
#ifdef COLLIO_PIO_SCORPIO
int PIOc_strerror(int pioerr, char* errmsg, size_t errmsg_size);
int PIOc_inq_var(int ncid, int varid, char* name, int namelen, nc_type* xtypep, int* ndimsp, int* dimidsp,
                 int* nattsp);
int PIOc_inq_varname(int ncid, int varid, char* name, int namelen);
int PIOc_openfile_retry(int iosysid, int* ncidp, int* iotype, const char* fname, int mode, int retry);
int PIOc_get_iosystem(int ncid);
int PIOc_copy_att(int incid, int ivarid, const char* name, int oncid, int ovarid);
/* Handles an error of the program's own as one of PIO's: prints it, and ends the job under
 * PIO_INTERNAL_ERROR. Returns err_num. */
int PIOc_error(int iosysid, int ncid, int err_num, const char* fname, int line, const char* uerr_msg);
void PIOc_warn(int iosysid, int ncid, const char* fname, int line, const char* uwarn_msg);
/* The version of SCORPIO whose interface this is. */
int PIOc_get_version_major(void);
int PIOc_get_version_minor(void);
int PIOc_get_version_patch(void);
int PIOc_get_version_string(char* vstr, int len);
int PIOc_get_version_hash(char* vstr, int len); /* "collio" */
int PIOc_get_version(int* major, int* minor, int* patch, char* vstr, int vstr_len);
#else
int PIOc_strerror(int pioerr, char* errstr);
int PIOc_inq_var(int ncid, int varid, char* name, nc_type* xtypep, int* ndimsp, int* dimidsp, int* nattsp);
int PIOc_inq_varname(int ncid, int varid, char* name);
#endif

/* ---- attributes ---- */

int PIOc_inq_att(int ncid, int varid, const char* name, nc_type* xtypep, PIO_Offset* lenp);
int PIOc_inq_attid(int ncid, int varid, const char* name, int* idp);
int PIOc_inq_attlen(int ncid, int varid, const char* name, PIO_Offset* lenp);
int PIOc_inq_atttype(int ncid, int varid, const char* name, nc_type* xtypep);
int PIOc_inq_attname(int ncid, int varid, int attnum, char* name);
int PIOc_rename_att(int ncid, int varid, const char* name, const char* newname);
int PIOc_del_att(int ncid, int varid, const char* name);
int PIOc_put_att(int ncid, int varid, const char* name, nc_type xtype, PIO_Offset len, const void* op);
int PIOc_get_att(int ncid, int varid, const char* name, void* ip);
int PIOc_put_att_text(int ncid, int varid, const char* name, PIO_Offset len, const char* op);
int PIOc_get_att_text(int ncid, int varid, const char* name, char* ip);

/* ---- data that are not distributed: the first I/O task's are written; all ranks get what is read ---- */

int PIOc_put_var(int ncid, int varid, const void* buf);
int PIOc_get_var(int ncid, int varid, void* buf);
int PIOc_put_var1(int ncid, int varid, const PIO_Offset* index, const void* buf);
int PIOc_get_var1(int ncid, int varid, const PIO_Offset* index, void* buf);
int PIOc_put_vara(int ncid, int varid, const PIO_Offset* start, const PIO_Offset* count, const void* buf);
int PIOc_get_vara(int ncid, int varid, const PIO_Offset* start, const PIO_Offset* count, void* buf);
int PIOc_put_vars(int ncid, int varid, const PIO_Offset* start, const PIO_Offset* count,
                  const PIO_Offset* stride, const void* buf);
int PIOc_get_vars(int ncid, int varid, const PIO_Offset* start, const PIO_Offset* count,
                  const PIO_Offset* stride, void* buf);
/* The type in memory as an argument: NC_NAT for the variable's. */
int PIOc_put_vars_tc(int ncid, int varid, const PIO_Offset* start, const PIO_Offset* count,
                     const PIO_Offset* stride, nc_type xtype, const void* buf);
int PIOc_get_vars_tc(int ncid, int varid, const PIO_Offset* start, const PIO_Offset* count,
                     const PIO_Offset* stride, nc_type xtype, void* buf);

/* The same for each type of C: PIOc_put_att_int(), PIOc_get_vara_double(), ... */
#define COLLIO_PIO_NUMBER_TYPES(each)                                                                       \
  each(schar, signed char) each(short, short) each(int, int) each(long, long) each(float, float)            \
      each(double, double) each(uchar, unsigned char) each(ushort, unsigned short) each(uint, unsigned int) \
          each(longlong, long long) each(ulonglong, unsigned long long)

#define COLLIO_PIO_DECLARE_ATTRIBUTES(name, type)                                              \
  int PIOc_put_att_##name(int ncid, int varid, const char* att, nc_type xtype, PIO_Offset len, \
                          const type* op);                                                     \
  int PIOc_get_att_##name(int ncid, int varid, const char* att, type* ip);
COLLIO_PIO_NUMBER_TYPES(COLLIO_PIO_DECLARE_ATTRIBUTES)

#define COLLIO_PIO_DECLARE_DATA(name, type)                                                             \
  int PIOc_put_var_##name(int ncid, int varid, const type* op);                                         \
  int PIOc_get_var_##name(int ncid, int varid, type* buf);                                              \
  int PIOc_put_var1_##name(int ncid, int varid, const PIO_Offset* index, const type* op);               \
  int PIOc_get_var1_##name(int ncid, int varid, const PIO_Offset* index, type* buf);                    \
  int PIOc_put_vara_##name(int ncid, int varid, const PIO_Offset* start, const PIO_Offset* count,       \
                           const type* op);                                                             \
  int PIOc_get_vara_##name(int ncid, int varid, const PIO_Offset* start, const PIO_Offset* count,       \
                           type* buf);                                                                  \
  int PIOc_put_vars_##name(int ncid, int varid, const PIO_Offset* start, const PIO_Offset* count,       \
                           const PIO_Offset* stride, const type* op);                                   \
  int PIOc_get_vars_##name(int ncid, int varid, const PIO_Offset* start, const PIO_Offset* count,       \
                           const PIO_Offset* stride, type* buf);                                        \
  int PIOc_put_vard_##name(int ncid, int varid, int decompid, const PIO_Offset recnum, const type* op); \
  int PIOc_get_vard_##name(int ncid, int varid, int decompid, const PIO_Offset recnum, type* buf);
COLLIO_PIO_NUMBER_TYPES(COLLIO_PIO_DECLARE_DATA)
COLLIO_PIO_DECLARE_DATA(text, char)

#ifdef __cplusplus
}
#endif
#endif
