// Decompositions in netCDF files, as PIO has them: a rank's map is a row of a variable. The rows are a
// distributed array, of which each rank writes and reads its own. A variable that PIO does not know has the
// checksums of the maps.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>
#include <numeric>

#include "decomposition.hpp"
#include "file.hpp"
#include "map_netcdf.hpp"
#include "map_text.hpp"
#include "replacement.hpp"

namespace collio::pio {

namespace {

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

int define(const WriteCall& call, int file, MapVariables& made) {
  const int longest = static_cast<int>(call.map->most_length);
  int dims[4] = {};
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
  if (const int code = PIOc_def_dim(file, "checksum_word", checksum_words, &dims[3])) return code;
  const int of_checksums[] = {dims[1], dims[3]};
  if (const int code = PIOc_def_var(file, checksums_name, PIO_INT, 2, of_checksums, &made.checksums))
    return code;
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

/// A checksum as the file has it.
std::vector<int> words_of(std::uint64_t checksum) {
  return {static_cast<int>(static_cast<std::uint32_t>(checksum)), static_cast<int>(checksum >> 32)};
}

/// This rank's numbers in the file.
struct Rows {
  std::vector<int> map, checksum;
};

Rows rows_of(const WriteCall& call) {
  const std::vector<PIO_Offset> map = map_of(*call.map);
  const std::uint64_t checksum = map_checksum({call.system.size, call.map->lengths}, call.system.rank,
                                              static_cast<long long>(map.size()), map.data());
  return {row_of(*call.map), words_of(checksum)};
}

int write(const WriteCall& call, const char* path, const Rows& rows) {
  int file = 0;
  MapVariables variables;
  if (const int code = PIOc_create(call.system.id, path, call.mode | NC_WRITE, &file)) return code;
  int code = define(call, file, variables);
  if (code == PIO_NOERR) code = PIOc_put_var_int(file, variables.shape, call.map->lengths.data());
  if (code == PIO_NOERR)
    code = write_row(call, file, variables.lengths, {static_cast<int>(call.map->length)});
  if (code == PIO_NOERR) code = write_row(call, file, variables.maps, rows.map);
  if (code == PIO_NOERR) code = write_row(call, file, variables.checksums, rows.checksum);
  if (code == PIO_NOERR) code = PIOc_sync(file);
  const int closed = PIOc_closefile(file);
  return code != PIO_NOERR ? code : closed;
}

/// Collective. The codes of what it calls were reported.
int write_new(const WriteCall& call, const Rows& rows) {
  const std::string what = "PIOc_write_nc_decomp" + quoted(call.path);
  Replacement file(call.system, what, call.path);
  const bool keep = (call.mode & NC_NOCLOBBER) != 0;
  Failure failure = file.begin(keep ? Replacement::Existing::keep : Replacement::Existing::replace);
  if (failure) return report(&call.system, failure);
  const int code = write(call, file.temporary(), rows);
  failure = file.end(code == PIO_NOERR ? Failure{} : Failure{code, what, true});
  return code != PIO_NOERR ? code : report(&call.system, failure);
}

// ---- reading ----

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

/// Whether this rank's map has the checksum that the file says. Collective.
int check_map(const ReadCall& call, int file, const MapFileHead& head, const std::vector<PIO_Offset>& map) {
  if (head.variables.checksums < 0) return PIO_NOERR;
  std::vector<int> words(checksum_words);
  if (const int code = read_row(call, file, head.variables.checksums, checksum_words, words)) return code;
  const std::uint64_t sum = map_checksum({head.ranks, {head.lengths, head.lengths + head.dims}},
                                         call.system.rank, static_cast<long long>(map.size()), map.data());
  Failure failure;
  if (words_of(sum) != words) {
    const std::uint64_t expected =
        std::uint64_t{static_cast<std::uint32_t>(words[1])} << 32 | static_cast<std::uint32_t>(words[0]);
    failure = {PIO_EINVAL,
               about(call) + damage_text(call.system.rank, checksum_text(sum), checksum_text(expected))};
  }
  return report(&call.system, agree(call.system, std::move(failure)));
}

/// Of the array, from 0 on; the largest int where there are more.
long long last_element(const MapFileHead& head) {
  constexpr long long most = std::numeric_limits<int>::max();
  long long elements = 1;
  for (int d = 0; d < head.dims; ++d) elements = std::min(elements * head.lengths[d], most + 1);
  return elements - 1;
}

/// This rank's map, from 1 on. Collective.
int read_map(const ReadCall& call, int file, const MapFileHead& head, std::vector<PIO_Offset>& map) {
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
  failure = agree(call.system, check_numbers(call, row, -1, last_element(head), "an element of map"));
  if (failure) return report(&call.system, failure);
  for (const int element : row) map.push_back(PIO_Offset{element} + 1);
  return check_map(call, file, head, map);
}

int read_open(const ReadCall& call, int ncid, MapFileHead& head) {
  Failure failure = asked(
      *find_file(ncid),
      {"PIOc_read_nc_decomp", quoted(call.path), [&](int id) { return read_map_head(id, call.path, head); }},
      {out(head)});
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
  Rows rows;
  const Failure failure = agree(
      *system,
      with_memory("PIOc_write_nc_decomp",
                  [&] {
                    Failure own = found ? check(call) : no_decomposition("PIOc_write_nc_decomp", ioid);
                    if (!own) rows = rows_of(call);
                    return own;
                  }),
      "PIOc_write_nc_decomp",
      {{"whether there is a title", title != nullptr}, {"whether there is a history", history != nullptr}});
  return failure ? report(system, failure) : write_new(call, rows);
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
  MapFileHead head;
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
