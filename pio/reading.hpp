/// What is read of headers and data on the root: by PnetCDF, or by netCDF-C where PnetCDF refuses the file,
/// as it does netCDF-4/HDF5. NetCDF-C is loaded when the first such file is opened. Its files have ids below
/// no_id here, which PnetCDF refuses: its functions that write give NC_EBADID.
#pragma once

#include <string>
#include <vector>

#include "pio.h"

namespace collio::pio::reading {

constexpr int no_id = -1;

[[nodiscard]] inline bool by_netcdf(int id) { return id < no_id; }

/// Whether netCDF-C is there: linked with the program, or where the system looks for libraries.
[[nodiscard]] bool has_netcdf();

/// Opens a file for reading by netCDF-C, which is there.
[[nodiscard]] int open_by_netcdf(const std::string& path, int& id);
int close(int id);

/// A variable's definition.
struct Inquired {
  char name[NC_MAX_NAME + 1] = {};
  nc_type type = NC_NAT;
  int attributes = 0;
  std::vector<int> dimids;
};

/// As the functions of these names of PnetCDF. Places may be null.
[[nodiscard]] int inq(int id, int* dims, int* variables, int* attributes, int* unlimited);
[[nodiscard]] int inq_format(int id, int* format);
[[nodiscard]] int inq_dim(int id, int dimid, char* name, MPI_Offset* length);
[[nodiscard]] int inq_dimid(int id, const char* name, int* dimid);
[[nodiscard]] int inq_var(int id, int varid, Inquired& found);
[[nodiscard]] int inq_varid(int id, const char* name, int* varid);
/// `value`: 8 bytes. It stays as it was for types that classic files do not have.
[[nodiscard]] int inq_var_fill(int id, int varid, int* no_fill, char* value);
[[nodiscard]] int inq_att(int id, int varid, const char* name, nc_type* type, MPI_Offset* length);
[[nodiscard]] int inq_attid(int id, int varid, const char* name, int* attribute);
[[nodiscard]] int inq_attname(int id, int varid, int attribute, char* name);

/// An attribute in its own type.
[[nodiscard]] int get_att(int id, int varid, const char* name, void* values);
/// An attribute of netCDF-C's as numbers of another type, or as text.
[[nodiscard]] int netcdf_att(int id, int varid, const char* name, nc_type type, void* values);

/// A part of a variable.
struct Box {
  std::vector<MPI_Offset> start, count, stride;
  long long elements = 1;
};

/// A box of netCDF-C's file as numbers of `type` in memory.
[[nodiscard]] int netcdf_box(int id, int varid, const Box& box, nc_type type, void* values);

/// Elements [begin, end) of a variable of netCDF-C's file, as if it had one dimension, in its own type.
[[nodiscard]] int netcdf_range(int id, int varid, long long begin, long long end, void* values);

}  // namespace collio::pio::reading
