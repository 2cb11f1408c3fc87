/// Numbers of a program as those of a file: netCDF's rules (netcdf/convert.hpp), which PIO has, too.
#pragma once

#include "netcdf/convert.hpp"
#include "pio.h"

namespace collio::pio {

using netcdf::convert;
using netcdf::convertible;
using netcdf::from_file;
using netcdf::to_file;
using netcdf::type_bytes;
using netcdf::type_of;
using netcdf::Types;

/// As in "PIO_INT".
[[nodiscard]] constexpr const char* type_name(nc_type type) {
  constexpr const char* names[] = {"none",       "PIO_BYTE",  "PIO_CHAR",   "PIO_SHORT",
                                   "PIO_INT",    "PIO_FLOAT", "PIO_DOUBLE", "PIO_UBYTE",
                                   "PIO_USHORT", "PIO_UINT",  "PIO_INT64",  "PIO_UINT64"};
  return type >= 0 && type <= NC_UINT64 ? names[type] : "unknown";
}

}  // namespace collio::pio
