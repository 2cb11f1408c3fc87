// See reading.hpp.
#include "reading.hpp"

#include <pnetcdf.h>

#include <algorithm>
#include <utility>

#include "convert.hpp"
#include "netcdf_library.hpp"

namespace collio::pio::reading {

namespace {

/// PnetCDF's ids begin at 0, as netCDF-C's do: here these are -2 and less.
constexpr int of_netcdf(int id) { return no_id - 1 - id; }

const NetcdfLibrary& library() { return *netcdf_library(); }

void copy(std::size_t from, MPI_Offset* to) {
  if (to) *to = static_cast<MPI_Offset>(from);
}

/// NetCDF-C's `get` with room for numbers of `own` type, as numbers of `type` at `values`.
template <class Get>
int get_as(nc_type own, nc_type type, long long count, void* values, Get get) {
  if (own == type) return get(values);
  const Types types{type, own};  // convert() goes from memory to file
  if (!convertible(types)) return NC_ECHAR;
  if (type_bytes(own) == 0 || type_bytes(type) == 0) return NC_EBADTYPE;
  std::vector<char> numbers(static_cast<std::size_t>(count) * static_cast<std::size_t>(type_bytes(own)));
  if (const int code = get(numbers.data())) return code;
  return convert(types, count, numbers.data(), values);
}

int get_box(int id, int varid, const Box& box, void* values) {
  const std::vector<std::size_t> start(box.start.begin(), box.start.end());
  const std::vector<std::size_t> count(box.count.begin(), box.count.end());
  const std::vector<std::ptrdiff_t> stride(box.stride.begin(), box.stride.end());
  return library().get_vars(of_netcdf(id), varid, start.data(), count.data(), stride.data(), values);
}

/// Reads a range of a variable in boxes: the rest of a row, whole rows, and the beginning of a row.
struct RangeReader {
  int id, varid;
  const std::vector<MPI_Offset>& lengths;
  Box box;
  /// of an element
  std::size_t bytes;
  char* to;

  /// Elements [begin, end) of dimensions d and more, at the box's start in those before.
  int read(std::size_t d, long long begin, long long end) {
    long long row = 1;
    for (std::size_t i = d + 1; i < lengths.size(); ++i) row *= lengths[i];
    while (begin < end) {
      const long long at = begin / row, inside = begin % row;
      const long long whole = inside == 0 ? (end - begin) / row : 0;
      const long long here = whole > 0 ? whole * row : std::min(end - begin, row - inside);
      box.start[d] = at, box.count[d] = std::max(whole, 1LL);
      for (std::size_t i = d + 1; i < lengths.size(); ++i) box.start[i] = 0, box.count[i] = lengths[i];
      if (const int code = whole > 0 ? read_box(here) : read(d + 1, inside, inside + here)) return code;
      begin += here;
    }
    return NC_NOERR;
  }

  int read_box(long long elements) {
    const int code = get_box(id, varid, box, to);
    to += static_cast<std::size_t>(elements) * bytes;
    return code;
  }
};

}  // namespace

bool has_netcdf() { return netcdf_library() != nullptr; }

int open_by_netcdf(const std::string& path, int& id) {
  int own = 0;
  const int code = library().open(path.c_str(), NC_NOWRITE, &own);
  if (code == NC_NOERR) id = of_netcdf(own);
  return code;
}

int close(int id) { return by_netcdf(id) ? library().close(of_netcdf(id)) : ncmpi_close(id); }

int inq(int id, int* dims, int* variables, int* attributes, int* unlimited) {
  return by_netcdf(id) ? library().inq(of_netcdf(id), dims, variables, attributes, unlimited)
                       : ncmpi_inq(id, dims, variables, attributes, unlimited);
}

int inq_format(int id, int* format) {
  return by_netcdf(id) ? library().inq_format(of_netcdf(id), format) : ncmpi_inq_format(id, format);
}

int inq_dim(int id, int dimid, char* name, MPI_Offset* length) {
  if (!by_netcdf(id)) return ncmpi_inq_dim(id, dimid, name, length);
  std::size_t found = 0;
  const int code = library().inq_dim(of_netcdf(id), dimid, name, &found);
  copy(found, length);
  return code;
}

int inq_dimid(int id, const char* name, int* dimid) {
  return by_netcdf(id) ? library().inq_dimid(of_netcdf(id), name, dimid) : ncmpi_inq_dimid(id, name, dimid);
}

int inq_var(int id, int varid, Inquired& found) {
  const bool netcdf = by_netcdf(id);
  const int own = netcdf ? of_netcdf(id) : id;
  int dims = 0;
  int code = netcdf ? library().inq_var(own, varid, nullptr, nullptr, &dims, nullptr, nullptr)
                    : ncmpi_inq_varndims(own, varid, &dims);
  if (code != NC_NOERR) return code;
  found.dimids.resize(static_cast<std::size_t>(dims) + 1);  // of a scalar, too, there is a place
  code = netcdf ? library().inq_var(own, varid, found.name, &found.type, &dims, found.dimids.data(),
                                    &found.attributes)
                : ncmpi_inq_var(own, varid, found.name, &found.type, &dims, found.dimids.data(),
                                &found.attributes);
  found.dimids.resize(static_cast<std::size_t>(dims));
  return code;
}

int inq_varid(int id, const char* name, int* varid) {
  return by_netcdf(id) ? library().inq_varid(of_netcdf(id), name, varid) : ncmpi_inq_varid(id, name, varid);
}

int inq_var_fill(int id, int varid, int* no_fill, char* value) {
  if (!by_netcdf(id)) return ncmpi_inq_var_fill(id, varid, no_fill, value);
  Inquired found;
  if (const int code = inq_var(id, varid, found)) return code;
  return library().inq_var_fill(of_netcdf(id), varid, no_fill, type_bytes(found.type) > 0 ? value : nullptr);
}

int inq_att(int id, int varid, const char* name, nc_type* type, MPI_Offset* length) {
  if (!by_netcdf(id)) return ncmpi_inq_att(id, varid, name, type, length);
  std::size_t found = 0;
  const int code = library().inq_att(of_netcdf(id), varid, name, type, &found);
  copy(found, length);
  return code;
}

int inq_attid(int id, int varid, const char* name, int* attribute) {
  return by_netcdf(id) ? library().inq_attid(of_netcdf(id), varid, name, attribute)
                       : ncmpi_inq_attid(id, varid, name, attribute);
}

int inq_attname(int id, int varid, int attribute, char* name) {
  return by_netcdf(id) ? library().inq_attname(of_netcdf(id), varid, attribute, name)
                       : ncmpi_inq_attname(id, varid, attribute, name);
}

int get_att(int id, int varid, const char* name, void* values) {
  if (!by_netcdf(id)) return ncmpi_get_att(id, varid, name, values);
  nc_type type = NC_NAT;
  if (const int code = inq_att(id, varid, name, &type, nullptr)) return code;
  return type_bytes(type) > 0 ? library().get_att(of_netcdf(id), varid, name, values) : NC_EBADTYPE;
}

int netcdf_att(int id, int varid, const char* name, nc_type type, void* values) {
  nc_type own = NC_NAT;
  MPI_Offset length = 0;
  if (const int code = inq_att(id, varid, name, &own, &length)) return code;
  return get_as(own, type, length, values,
                [&](void* to) { return library().get_att(of_netcdf(id), varid, name, to); });
}

int netcdf_box(int id, int varid, const Box& box, nc_type type, void* values) {
  Inquired found;
  if (const int code = inq_var(id, varid, found)) return code;
  return get_as(found.type, type, box.elements, values,
                [&](void* to) { return get_box(id, varid, box, to); });
}

int netcdf_range(int id, int varid, long long begin, long long end, void* values) {
  Inquired found;
  if (const int code = inq_var(id, varid, found)) return code;
  if (type_bytes(found.type) == 0) return NC_EBADTYPE;
  const std::size_t dims = found.dimids.size();
  std::vector<MPI_Offset> lengths(dims);
  for (std::size_t d = 0; d < dims; ++d)
    if (const int code = inq_dim(id, found.dimids[d], nullptr, &lengths[d])) return code;
  const std::vector<MPI_Offset> ones(dims, 1);
  RangeReader reader{id,
                     varid,
                     lengths,
                     {std::vector<MPI_Offset>(dims), ones, ones, 1},
                     static_cast<std::size_t>(type_bytes(found.type)),
                     static_cast<char*>(values)};
  return dims == 0 ? reader.read_box(1) : reader.read(0, begin, end);
}

}  // namespace collio::pio::reading
