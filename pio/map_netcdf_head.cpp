// See map_netcdf.hpp.
#include "map_netcdf.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <limits>

#include "convert.hpp"
#include "reading.hpp"

namespace collio::pio {

namespace {

/// Puts down what is wrong, and gives the code.
int wrong(MapFileHead& head, int code, const std::string& what) {
  if (code != PIO_NOERR) std::snprintf(head.wrong, sizeof head.wrong, "%s", what.c_str());
  return code;
}

int read_dimension(int id, const char* name, long long most, MapFileHead& head, int* length) {
  int dimension = 0;
  MPI_Offset found = 0;
  if (const int code = reading::inq_dimid(id, name, &dimension))
    return wrong(head, code, "there is no dimension " + std::string(name));
  if (const int code = reading::inq_dim(id, dimension, nullptr, &found)) return code;
  *length = static_cast<int>(std::clamp<MPI_Offset>(found, 0, most + 1));
  return wrong(head, found >= 1 && found <= most ? PIO_NOERR : PIO_EINVAL,
               "the length of dimension " + std::string(name) + " is " + std::to_string(found) +
                   "; allowed: 1 to " + std::to_string(most));
}

/// As much as there is room for; "" where the file has none.
int read_text(int id, const char* name, char (&text)[PIO_MAX_NAME + 1], MapFileHead& head) {
  MPI_Offset length = 0;
  nc_type type = NC_NAT;
  const int found = reading::inq_att(id, NC_GLOBAL, name, &type, &length);
  if (found == NC_ENOTATT) return PIO_NOERR;
  if (found != NC_NOERR) return found;
  if (type != NC_CHAR) return wrong(head, NC_ECHAR, "attribute " + std::string(name) + " is no text");
  std::string all(static_cast<std::size_t>(length), '\0');
  if (const int code = reading::get_att(id, NC_GLOBAL, name, all.data())) return code;
  std::snprintf(text, sizeof text, "%s", all.c_str());
  return PIO_NOERR;
}

int read_order(int id, MapFileHead& head) {
  char text[PIO_MAX_NAME + 1] = {};
  if (const int code = read_text(id, order_name, text, head)) return code;
  const auto* const found = std::find(std::begin(orders), std::end(orders), std::string(text));
  head.order = static_cast<int>(found - std::begin(orders));
  return wrong(head, found != std::end(orders) ? PIO_NOERR : PIO_EINVAL,
               "attribute array_order is \"" + std::string(text) + "\"; allowed: C and Fortran");
}

int find_variable(int id, const char* name, long long elements, MapFileHead& head, int* variable) {
  reading::Inquired inquired;
  if (const int code = reading::inq_varid(id, name, variable))
    return wrong(head, code, "there is no variable " + std::string(name));
  if (const int code = reading::inq_var(id, *variable, inquired)) return code;
  if (inquired.dimids.empty() || inquired.dimids.size() > 2)
    return wrong(head, PIO_EINVAL, "variable " + std::string(name) + " has another shape");
  long long found = 1;
  for (const int dimid : inquired.dimids) {
    MPI_Offset length = 0;
    if (const int code = reading::inq_dim(id, dimid, nullptr, &length)) return code;
    found *= length;
  }
  return wrong(head, found == elements ? PIO_NOERR : PIO_EINVAL,
               "variable " + std::string(name) + " has " + std::to_string(found) +
                   " elements; allowed: " + std::to_string(elements));
}

/// As an error of the file: a variable that ends after it. Only of classic files.
int check_end(int id, const char* path, int variable, long long numbers, MapFileHead& head) {
  MPI_Offset begin = 0;
  struct stat about {};
  if (reading::by_netcdf(id) || stat(path, &about) != 0) return PIO_NOERR;
  reading::Inquired found;
  if (const int code = reading::inq_var(id, variable, found)) return code;
  if (const int code = ncmpi_inq_varoffset(id, variable, &begin)) return code;
  const long long end = begin + numbers * type_bytes(found.type);
  return wrong(head, about.st_size >= end ? PIO_NOERR : PIO_EINVAL,
               "the file has " + std::to_string(about.st_size) + " bytes; allowed: " + std::to_string(end) +
                   " and more, as its header says. It was cut short");
}

/// Files of PIO have none.
int find_checksums(int id, MapFileHead& head) {
  if (reading::inq_varid(id, checksums_name, &head.variables.checksums) == PIO_NOERR)
    return find_variable(id, checksums_name, static_cast<long long>(head.ranks) * checksum_words, head,
                         &head.variables.checksums);
  head.variables.checksums = -1;
  return PIO_NOERR;
}

int read_shape(int id, MapFileHead& head) {
  const int variable = head.variables.shape;
  if (!reading::by_netcdf(id)) return ncmpi_get_var_int_all(id, variable, head.lengths);
  reading::Inquired found;
  if (const int code = reading::inq_var(id, variable, found)) return code;
  return found.type == NC_INT ? reading::netcdf_range(id, variable, 0, head.dims, head.lengths) : NC_EBADTYPE;
}

}  // namespace

int read_map_head(int id, const char* path, MapFileHead& head) {
  constexpr long long most = std::numeric_limits<int>::max();
  if (const int code = read_dimension(id, "dims", PIO_MAX_DIMS, head, &head.dims)) return code;
  if (const int code = read_dimension(id, "task", most, head, &head.ranks)) return code;
  if (const int code = read_dimension(id, "map_element", most, head, &head.longest)) return code;
  if (const int code = read_order(id, head)) return code;
  if (const int code = read_text(id, title_name, head.title, head)) return code;
  if (const int code = read_text(id, history_name, head.history, head)) return code;
  MapVariables& found = head.variables;
  if (const int code = find_variable(id, "global_size", head.dims, head, &found.shape)) return code;
  if (const int code = find_variable(id, "maplen", head.ranks, head, &found.lengths)) return code;
  const long long all = static_cast<long long>(head.ranks) * head.longest;
  if (const int code = find_variable(id, "map", all, head, &found.maps)) return code;
  if (const int code = check_end(id, path, found.maps, all, head)) return code;
  if (const int code = find_checksums(id, head)) return code;
  if (found.checksums >= 0)
    if (const int code = check_end(id, path, found.checksums, head.ranks * 2LL, head)) return code;
  if (const int code = read_shape(id, head)) return wrong(head, code, "variable global_size cannot be read");
  for (int d = 0; d < head.dims; ++d)
    if (head.lengths[d] < 1)
      return wrong(head, PIO_EINVAL,
                   "global_size[" + std::to_string(d) + "] is " + std::to_string(head.lengths[d]) +
                       "; allowed: 1 and more");
  return PIO_NOERR;
}

}  // namespace collio::pio
