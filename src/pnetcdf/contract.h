/* The contract between the preloaded library and the engine about PnetCDF's functions: a call of a data
 * function as plain data, and the functions that the engine has in place of PnetCDF's.
 *
 * Each does all of the call: what it does not serve it asks of the program's own PnetCDF, whose functions it
 * finds by their names.
 */
#ifndef COLLIO_PNETCDF_CONTRACT_H
#define COLLIO_PNETCDF_CONTRACT_H

#ifdef COLLIO_ANY_MPI
#include "mpiio/shim/any_mpi.h"
#else
#include <mpi.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum collio_pnetcdf_form { COLLIO_VAR, COLLIO_VAR1, COLLIO_VARA, COLLIO_VARS, COLLIO_VARM, COLLIO_VARN };
/* put and get with _all, iput and iget, bput, put and get of independent mode. */
enum collio_pnetcdf_way { COLLIO_BLOCKING, COLLIO_NONBLOCKING, COLLIO_BUFFERED, COLLIO_ALONE };

struct collio_pnetcdf_call {
  int reads, way, form;
  int memory_type;       /* nc_type of the elements in memory; 0: a flexible function, buffer_type has it */
  const char* type_name; /* as in ncmpi_put_vara_int_all(); null: a flexible function */
  int ncid, varid;
  int parts; /* varn: of starts and counts */
  const MPI_Offset *start, *count, *stride, *imap;
  MPI_Offset *const *starts, *const *counts;
  void* buffer;
  MPI_Offset buffer_count;
  MPI_Datatype buffer_type;
  int* request; /* null: no place for it, or a blocking call */
};

/* A call of mput or mget: one of several variables. */
struct collio_pnetcdf_calls {
  struct collio_pnetcdf_call alike; /* what those of all variables have in common */
  int count;
  const int* varids;
  MPI_Offset *const *starts, *const *counts, *const *strides, *const *imaps;
  void* const* buffers;
  const MPI_Offset* buffer_counts; /* null: a typed function */
  const MPI_Datatype* buffer_types;
};

struct collio_pnetcdf_front {
  /* Whether it serves the file, and then PnetCDF's code; else the call is the program's PnetCDF's. */
  int (*data)(const struct collio_pnetcdf_call* call, int* code);
  int (*several)(const struct collio_pnetcdf_calls* calls, int* code);
  /* A call that names the part of the file by an MPI datatype, which is the program's PnetCDF's. */
  void (*note_by_datatype)(int ncid);
#define COLLIO_PNETCDF_FUNCTION(name, parameters, arguments) int(*name) parameters;
#include "pnetcdf/file_calls.def"
#undef COLLIO_PNETCDF_FUNCTION
};

/* Exported by libcollio_engine_FAMILY.so. `find`: a function of the program's PnetCDF by its name, or null.
 */
typedef const struct collio_pnetcdf_front* (*collio_pnetcdf_start_function)(void* (*find)(const char* name));
#define COLLIO_PNETCDF_START "collio_pnetcdf_start"

#ifdef __cplusplus
}
#endif
#endif
