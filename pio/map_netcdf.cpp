// Decompositions in netCDF files, as PIO has them: a rank's map is a row of a variable. The rows are a
// distributed array, of which each rank writes and reads its own.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>
#include <numeric>

#include "decomposition.hpp"
#include "file.hpp"

namespace collio::pio {

namespace {

constexpr const char* version_name = "PIO_library_version";
constexpr const char* longest_name = "max_maplen";
constexpr const char* title_name = "title";
constexpr const char* history_name = "history";
constexpr const char* source_name = "source";
constexpr const char* order_name = "array_order";
constexpr const char* orders[] = {"C", "Fortran"};
constexpr const char* version = "2.6.0";  // of the ParallelIO whose files these are

/// A decomposition of ranks x width numbers, of which this rank has the first `own` of its row. Collective.
int make_rows(const System& system, long long width, std::size_t own, bool read_only, int* id) {
  const int lengths[] = {system.size, static_cast<int>(width)};
  std::vector<PIO_Offset> map(own);
  std::iota(map.begin(), map.end(), system.rank * width + 1);
  const auto make = read_only ? PIOc_InitDecomp_ReadOnly : PIOc_InitDecomp;
  return make(system.id, PIO_INT, 2, lengths, static_cast<int>(own), map.data(), id, nullptr, nullptr,
              nullptr);
}

// ---- writing ----

struct WriteCall {
  const System& system;
  const Decomposition* map;
  const char* path;
  int mode;
  const char* title;
  const char* history;
  bool fortran_order;
};

Failure check(const WriteCall& call) {
  const std::string function = "PIOc_write_nc_decomp: ";
  if (!call.path || !*call.path) return {PIO_EINVAL, function + "the file is null or has no name"};
  for (const char* text : {call.title, call.history})
    if (text && std::strlen(text) > PIO_MAX_NAME)
      return not_allowed(function + "the length of title or history",
                         static_cast<long long>(std::strlen(text)), "0 to " + std::to_string(PIO_MAX_NAME));
  if (call.map->array_elements > std::int64_t{std::numeric_limits<int>::max()} + 1)
    return not_allowed(function + "the number of elements of the array", call.map->array_elements,
                       "1 to 2^31, as the file has them as PIO_INT. Use PIOc_write_decomp()");
  if (call.map->most_length == 0)
    return not_allowed(function + "the length of the longest map", 0,
                       "1 and more, as the file has it as a dimension");
  return {};
}

int put_text(int file, const char* name, const char* text) {
  return text ? PIOc_put_att_text(file, NC_GLOBAL, name, static_cast<PIO_Offset>(std::strlen(text)) + 1, text)
              : PIO_NOERR;
}

struct Variables {
  int shape = -1, lengths = -1, maps = -1;
};

int define(const WriteCall& call, int file, Variables& made) {
  const int longest = static_cast<int>(call.map->most_length);
  int dims[3] = {};
  for (const auto& [name, text] : {std::pair{version_name, version},
                                   {title_name, call.title},
                                   {history_name, call.history},
                                   {source_name, "Decomposition file produced by collio."},
                                   {order_name, orders[call.fortran_order ? 1 : 0]}})
    if (const int code = put_text(file, name, text)) return code;
  if (const int code = PIOc_put_att_int(file, NC_GLOBAL, longest_name, PIO_INT, 1, &longest)) return code;
  if (const int code = PIOc_def_dim(file, "dims", call.map->dims, &dims[0])) return code;
  if (const int code = PIOc_def_dim(file, "task", call.system.size, &dims[1])) return code;
  if (const int code = PIOc_def_dim(file, "map_element", longest, &dims[2])) return code;
  if (const int code = PIOc_def_var(file, "global_size", PIO_INT, 1, &dims[0], &made.shape)) return code;
  if (const int code = PIOc_def_var(file, "maplen", PIO_INT, 1, &dims[1], &made.lengths)) return code;
  if (const int code = PIOc_def_var(file, "map", PIO_INT, 2, &dims[1], &made.maps)) return code;
  return PIOc_enddef(file);
}

/// This rank's row of a variable.
int write_row(const WriteCall& call, int file, int variable, const std::vector<int>& row) {
  int rows = 0;
  if (const int code = make_rows(call.system, static_cast<long long>(row.size()), row.size(), false, &rows))
    return code;
  const int code =
      PIOc_write_darray(file, variable, rows, static_cast<PIO_Offset>(row.size()), row.data(), nullptr);
  PIOc_freedecomp(call.system.id, rows);
  return code;
}

/// This rank's map as the file has it: from 0 on, with -1 for holes, and fill values behind it.
std::vector<int> row_of(const Decomposition& map) {
  std::vector<int> row;
  row.reserve(static_cast<std::size_t>(map.most_length));
  for (const PIO_Offset element : map_of(map)) row.push_back(static_cast<int>(element) - 1);
  row.resize(static_cast<std::size_t>(map.most_length), NC_FILL_INT);
  return row;
}

int write(const WriteCall& call, const std::vector<int>& row) {
  int file = 0;
  Variables variables;
  if (const int code = PIOc_create(call.system.id, call.path, call.mode | NC_WRITE, &file)) return code;
  int code = define(call, file, variables);
  if (code == PIO_NOERR) code = PIOc_put_var_int(file, variables.shape, call.map->lengths.data());
  if (code == PIO_NOERR)
    code = write_row(call, file, variables.lengths, {static_cast<int>(call.map->length)});
  if (code == PIO_NOERR) code = write_row(call, file, variables.maps, row);
  const int closed = PIOc_closefile(file);
  return code != PIO_NOERR ? code : closed;
}

// ---- reading ----

/// All but the maps. Sent to all ranks as bytes.
struct Head {
  int dims = 0, ranks = 0, longest = 0;
  int lengths[PIO_MAX_DIMS] = {};
  int order = 0;
  Variables variables;
  char title[PIO_MAX_NAME + 1] = {};
  char history[PIO_MAX_NAME + 1] = {};
  char wrong[PIO_MAX_NAME] = {};  ///< what the file has not, or has wrongly
};

/// Puts down what is wrong, and gives the code.
int wrong(Head& head, int code, const std::string& what) {
  if (code != PIO_NOERR) std::snprintf(head.wrong, sizeof head.wrong, "%s", what.c_str());
  return code;
}

int read_dimension(int id, const char* name, long long most, Head& head, int* length) {
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
int read_text(int id, const char* name, char (&text)[PIO_MAX_NAME + 1], Head& head) {
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

int read_order(int id, Head& head) {
  char text[PIO_MAX_NAME + 1] = {};
  if (const int code = read_text(id, order_name, text, head)) return code;
  const auto* const found = std::find(std::begin(orders), std::end(orders), std::string(text));
  head.order = static_cast<int>(found - std::begin(orders));
  return wrong(head, found != std::end(orders) ? PIO_NOERR : PIO_EINVAL,
               "attribute array_order is \"" + std::string(text) + "\"; allowed: C and Fortran");
}

int find_variable(int id, const char* name, long long elements, Head& head, int* variable) {
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

int read_shape(int id, Head& head) {
  const int variable = head.variables.shape;
  if (!reading::by_netcdf(id)) return ncmpi_get_var_int_all(id, variable, head.lengths);
  reading::Inquired found;
  if (const int code = reading::inq_var(id, variable, found)) return code;
  return found.type == NC_INT ? reading::netcdf_range(id, variable, 0, head.dims, head.lengths) : NC_EBADTYPE;
}

/// PnetCDF's code, on the root.
int read_head(int id, Head& head) {
  constexpr long long most = std::numeric_limits<int>::max();
  if (const int code = read_dimension(id, "dims", PIO_MAX_DIMS, head, &head.dims)) return code;
  if (const int code = read_dimension(id, "task", most, head, &head.ranks)) return code;
  if (const int code = read_dimension(id, "map_element", most, head, &head.longest)) return code;
  if (const int code = read_order(id, head)) return code;
  if (const int code = read_text(id, title_name, head.title, head)) return code;
  if (const int code = read_text(id, history_name, head.history, head)) return code;
  Variables& found = head.variables;
  if (const int code = find_variable(id, "global_size", head.dims, head, &found.shape)) return code;
  if (const int code = find_variable(id, "maplen", head.ranks, head, &found.lengths)) return code;
  const long long all = static_cast<long long>(head.ranks) * head.longest;
  if (const int code = find_variable(id, "map", all, head, &found.maps)) return code;
  const int code = read_shape(id, head);
  return wrong(head, code, "variable global_size cannot be read");
}

struct ReadCall {
  System& system;
  const char* path;
  int type;
  int* id;
};

/// The first `own` numbers of this rank's row.
int read_row(const ReadCall& call, int file, int variable, long long width, std::vector<int>& own) {
  int rows = 0;
  if (const int code = make_rows(call.system, width, own.size(), true, &rows)) return code;
  const int code = PIOc_read_darray(file, variable, rows, static_cast<PIO_Offset>(own.size()), own.data());
  PIOc_freedecomp(call.system.id, rows);
  return code;
}

std::string about(const ReadCall& call) { return "PIOc_read_nc_decomp" + quoted(call.path) + ": "; }

Failure check_numbers(const ReadCall& call, const std::vector<int>& numbers, long long least, long long most,
                      const char* name) {
  const auto found =
      std::find_if(numbers.begin(), numbers.end(), [&](int n) { return n < least || n > most; });
  if (found == numbers.end()) return {};
  return not_allowed(about(call) + name + " of rank " + std::to_string(call.system.rank), *found,
                     std::to_string(least) + " to " + std::to_string(most));
}

/// This rank's map, from 1 on. Collective.
int read_map(const ReadCall& call, int file, const Head& head, std::vector<PIO_Offset>& map) {
  std::vector<int> length(1), row;
  if (const int code = read_row(call, file, head.variables.lengths, 1, length)) return code;
  Failure failure = agree(call.system, check_numbers(call, length, 0, head.longest, "maplen"));
  if (failure) return report(&call.system, failure);
  failure = agree(call.system, with_memory("PIOc_read_nc_decomp", [&]() -> Failure {
                    row.resize(static_cast<std::size_t>(length[0]));
                    map.reserve(row.size());
                    return {};
                  }));
  if (failure) return report(&call.system, failure);
  if (const int code = read_row(call, file, head.variables.maps, head.longest, row)) return code;
  failure =
      agree(call.system, check_numbers(call, row, -1, std::numeric_limits<int>::max(), "an element of map"));
  if (failure) return report(&call.system, failure);
  for (const int element : row) map.push_back(PIO_Offset{element} + 1);
  return PIO_NOERR;
}

int read_open(const ReadCall& call, int ncid, Head& head) {
  Failure failure = asked(
      *find_file(ncid),
      {"PIOc_read_nc_decomp", quoted(call.path), [&](int id) { return read_head(id, head); }}, {out(head)});
  if (failure && *head.wrong) failure.text = about(call) + head.wrong;
  if (!failure && head.ranks != call.system.size) {
    failure = not_allowed(about(call) + "the number of maps", head.ranks,
                          std::to_string(call.system.size) + ", the number of ranks");
    failure.agreed = true;
  }
  if (failure) return report(&call.system, failure);
  std::vector<PIO_Offset> map;
  if (const int code = read_map(call, ncid, head, map)) return code;
  return PIOc_InitDecomp(call.system.id, call.type, head.dims, head.lengths, static_cast<int>(map.size()),
                         map.data(), call.id, nullptr, nullptr, nullptr);
}

}  // namespace

}  // namespace collio::pio

using namespace collio::pio;

extern "C" {

int PIOc_write_nc_decomp(int iosysid, const char* filename, int cmode, int ioid, COLLIO_PIO_CONST char* title,
                         COLLIO_PIO_CONST char* history, int fortran_order) {
  const System* system = find_system(iosysid);
  if (!system) return report(nullptr, no_system("PIOc_write_nc_decomp", iosysid));
  const auto found = find_decomposition(ioid);
  const WriteCall call{*system, found.get(), filename, cmode, title, history, fortran_order != 0};
  std::vector<int> row;
  const Failure failure = agree(
      *system,
      with_memory("PIOc_write_nc_decomp",
                  [&] {
                    Failure own = found ? check(call) : no_decomposition("PIOc_write_nc_decomp", ioid);
                    if (!own) row = row_of(*found);
                    return own;
                  }),
      "PIOc_write_nc_decomp",
      {{"whether there is a title", title != nullptr}, {"whether there is a history", history != nullptr}});
  return failure ? report(system, failure) : write(call, row);
}

int PIOc_read_nc_decomp(int iosysid, const char* filename, int* ioid, MPI_Comm, int pio_type, char* title,
                        char* history, int* fortran_order) {
  System* system = find_system(iosysid);
  if (!system) return report(nullptr, no_system("PIOc_read_nc_decomp", iosysid));
  Failure failure;
  if (!filename || !*filename || !ioid)
    failure = {PIO_EINVAL,
               "PIOc_read_nc_decomp: the file or the place for the id is null, or the file has no name"};
  failure = agree(*system, std::move(failure));
  if (failure) return report(system, failure);
  int file = 0;
  Head head;
  if (const int code = PIOc_open(iosysid, filename, NC_NOWRITE, &file)) return code;
  const int code = read_open({*system, filename, pio_type, ioid}, file, head);
  const int closed = PIOc_closefile(file);
  if (code != PIO_NOERR || closed != PIO_NOERR) return code != PIO_NOERR ? code : closed;
  if (title) std::strcpy(title, head.title);
  if (history) std::strcpy(history, head.history);
  if (fortran_order) *fortran_order = head.order;
  return PIO_NOERR;
}
}
