// The program's own PnetCDF.
#pragma once

#include "pnetcdf/contract.h"

namespace collio::pnetcdf {

/// Its functions, without ncmpi_ in their names. One that this version lacks is null.
struct Library {
#define COLLIO_PNETCDF_FUNCTION(name, parameters, arguments) int(*name) parameters;
#include "pnetcdf/file_calls.def"
#undef COLLIO_PNETCDF_FUNCTION
  int (*inq_format)(int ncid, int* format);
  int (*inq_unlimdim)(int ncid, int* dimid);
  int (*inq_dimlen)(int ncid, int dimid, MPI_Offset* length);
  int (*inq_recsize)(int ncid, MPI_Offset* bytes);
  int (*inq_var)(int ncid, int varid, char* name, int* type, int* dims, int* dimids, int* attributes);
  int (*inq_varoffset)(int ncid, int varid, MPI_Offset* offset);
  int (*inq_var_fill)(int ncid, int varid, int* no_fill, void* fill);
  int (*inq_file_info)(int ncid, MPI_Info* info);
  int (*iput_var1)(int ncid, int varid, const MPI_Offset* index, const void* buffer, MPI_Offset count,
                   MPI_Datatype type, int* request);

  /// Whether it has all that collio needs.
  [[nodiscard]] bool complete() const noexcept;
  void* (*find)(const char* name);
};

/// Found at the first call of start().
[[nodiscard]] const Library& library() noexcept;
void find_library(void* (*find)(const char* name));

/// The call as the program made it, to PnetCDF.
[[nodiscard]] int call_library(const collio_pnetcdf_call& call);
/// What PnetCDF says of arguments that it may refuse: the code of the nonblocking function of the same form,
/// a call of this rank's alone. Where it takes them after all, the request is cancelled, and the code
/// invalid.
[[nodiscard]] int refusal_of(const collio_pnetcdf_call& call);

}  // namespace collio::pnetcdf
