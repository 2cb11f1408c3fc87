/// NetCDF-C, loaded at run time: programs that read classic files alone need none.
#pragma once

#include <cstddef>

namespace collio::pio {

/// Functions of netCDF-C's interface, which has been the same since version 4.0.
struct NetcdfLibrary {
  int (*open)(const char* path, int mode, int* id) = nullptr;
  int (*close)(int id) = nullptr;
  int (*inq)(int id, int* dims, int* variables, int* attributes, int* unlimited) = nullptr;
  int (*inq_format)(int id, int* format) = nullptr;
  int (*inq_dim)(int id, int dimid, char* name, std::size_t* length) = nullptr;
  int (*inq_dimid)(int id, const char* name, int* dimid) = nullptr;
  int (*inq_var)(int id, int varid, char* name, int* type, int* dims, int* dimids, int* attributes) = nullptr;
  int (*inq_varid)(int id, const char* name, int* varid) = nullptr;
  int (*inq_var_fill)(int id, int varid, int* no_fill, void* value) = nullptr;
  int (*inq_att)(int id, int varid, const char* name, int* type, std::size_t* length) = nullptr;
  int (*inq_attid)(int id, int varid, const char* name, int* attribute) = nullptr;
  int (*inq_attname)(int id, int varid, int attribute, char* name) = nullptr;
  int (*get_att)(int id, int varid, const char* name, void* values) = nullptr;
  int (*get_vars)(int id, int varid, const std::size_t* start, const std::size_t* count,
                  const std::ptrdiff_t* stride, void* values) = nullptr;
};

/// Null: it was not found. The first call looks for it.
const NetcdfLibrary* netcdf_library();

}  // namespace collio::pio
