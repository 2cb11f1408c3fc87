// See file.hpp.
#include "pnetcdf/file.hpp"

#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "capi/error.hpp"
#include "capi/file.hpp"
#include "engine/report/say.hpp"
#include "mpiio/open/info.hpp"
#include "mpiio/open/open_files.hpp"
#include "netcdf/types.hpp"
#include "pnetcdf/errors.hpp"
#include "pnetcdf/library.hpp"
#include "storage/subfiles/look.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::pnetcdf {

namespace {

std::mutex lock;

std::map<int, std::unique_ptr<File>>& files() {
  static std::map<int, std::unique_ptr<File>> open;
  return open;
}

/// PnetCDF takes the name of a file system before a colon off a path, as in ufs:/scratch/a.
const char* without_kind(const char* path) {
  const char* colon = std::strchr(path, ':');
  const char* slash = std::strchr(path, '/');
  return colon && (!slash || colon < slash) ? colon + 1 : path;
}

/// Hints of the program and of PNETCDF_HINTS, which win, in one text; PnetCDF's own are not collio's.
std::string hints_of(MPI_Info info) {
  engine::Pairs pairs = mpiio::pairs_of(info);
  std::vector<std::string> unused;
  if (const char* more = ::secure_getenv("PNETCDF_HINTS"))
    for (auto& [key, value] : policy::split_hints(more, unused)) pairs[key] = value;
  std::string text;
  for (const auto& [key, value] : pairs)
    if (!key.starts_with("nc_") && !key.starts_with("pnetcdf_")) text += key + "=" + value + ";";
  return text;
}

/// Hints in force for a file. Empty: PnetCDF does not say.
engine::Pairs hints_in_force(int ncid) {
  MPI_Info used = MPI_INFO_NULL;
  if (library().inq_file_info(ncid, &used) != 0 || used == MPI_INFO_NULL) return {};
  engine::Pairs pairs = mpiio::pairs_of(used);
  MPI_Info_free(&used);
  return pairs;
}

constexpr char other_format[] = "its format is not classic";

/// Why PnetCDF keeps the data of the file; null: it need not.
const char* why_kept(int ncid) {
  int format = 0;
  if (library().inq_format(ncid, &format) != 0 || (format != 1 && format != 2 && format != 5))
    return other_format;
  const char* const safe = ::secure_getenv("PNETCDF_SAFE_MODE");
  if (safe && *safe != '0') return "PNETCDF_SAFE_MODE checks its own calls";
  engine::Pairs hints = hints_in_force(ncid);
  if (hints["nc_burst_buf"] == "enable") return "its burst buffer is enabled (nc_burst_buf)";
  if (hints["pnetcdf_subfiling"] == "enable") return "its own subfiling is enabled (pnetcdf_subfiling)";
  return nullptr;
}

/// As the report says of the file, which PnetCDF itself has open by MPI-IO; calls by its own driver have no
/// line there.
void note_kept(const Opened& opened, const char* why) {
  for (const auto& file : mpiio::files_at(engine::absolute_path(without_kind(opened.path))))
    file->engine->records.pnetcdf = {.counts = {}, .kept = why};
}

observe::report::PnetcdfCounts& counts_of(const collio_file& data) {
  auto& calls = data.open->engine->records.pnetcdf;
  calls.emplace();
  return calls->counts;
}

/// Opens the file's data with collio. Null, and `why`: it cannot. The same on all ranks. Collective.
collio_file* open_data(const Opened& opened, std::string& why) {
  const int mode = opened.writable ? COLLIO_READ | COLLIO_WRITE | COLLIO_WHOLE : COLLIO_READ;
  collio_file* data = nullptr;
  const std::string hints = hints_of(opened.info);
  const int code = capi::open_file_on(opened.comm, without_kind(opened.path), mode, hints.c_str(), &data);
  if (code != COLLIO_OK) why = capi::error_text();
  if (code != COLLIO_OK && code != COLLIO_ERR_OTHER)  // of which one is that collio is disabled
    engine::say_once(opened.comm, "PnetCDF moves its data itself: " + why);
  if (code != COLLIO_OK || data->open->engine->settings.hints.pnetcdf) return data;
  why = "collio_pnetcdf=disable";
  static_cast<void>(capi::close_file(&data));
  return nullptr;
}

}  // namespace

File::File(int ncid, collio_file* opened, bool may_write)
    : id(ncid), data(opened), writable(may_write), calls(counts_of(*opened)), layout(ncid) {}

File* find_file(int ncid) noexcept {
  const std::scoped_lock one_at_a_time(lock);
  const auto found = files().find(ncid);
  return found == files().end() ? nullptr : found->second.get();
}

namespace {

/// Of one rank: where its mode differs from rank 0's, PnetCDF returns an error and goes on, or the error
/// hides that the file is open nowhere.
bool may_be_open(int code) noexcept {
  return code == netcdf::ok || code == null_padding || code == other_open_mode || code == other_create_mode;
}

/// Rank 0 has it open. Collective.
bool is_open(const Opened& opened) {
  int code = opened.code;
  transport::broadcast(&code, 1, MPI_INT, 0, opened.comm);
  return code == netcdf::ok || code == null_padding;
}

}  // namespace

void serve_file(const Opened& asked) {
  Opened opened = asked;
  int ranks = 0;
  MPI_Comm_size(opened.comm, &ranks);
  if (ranks == 1) {
    if (may_be_open(opened.code)) note_kept(opened, "one rank has nothing to gain");
    return;
  }
  if (!is_open(opened)) return;
  const char* const kept = may_be_open(opened.code) ? why_kept(opened.ncid) : "not all ranks have it open";
  int rank = 0;
  MPI_Comm_rank(opened.comm, &rank);
  // PnetCDF's own handle has the subfiles of a file: two of one job would each take the other for a program
  // that writes them.
  const bool in_subfiles =
      rank == 0 &&
      storage::look_for_subfiles(engine::absolute_path(without_kind(opened.path))).set.has_value();
  int agreed[] = {kept || in_subfiles ? 1 : 0, rank == 0 && asked.writable ? 1 : 0};
  transport::reduce_to_all(agreed, 2, MPI_INT, MPI_MAX, opened.comm);
  opened.writable = agreed[1] != 0;
  if (kept && kept != other_format)  // which is not PnetCDF's own
    engine::say_once(opened.comm, std::string("PnetCDF moves its data itself: ") + kept);
  if (agreed[0] != 0) return note_kept(opened, kept ? kept : "MPI-IO writes its subfiles");
  std::string why;
  collio_file* const data = open_data(opened, why);
  if (!data) return note_kept(opened, why.c_str());
  auto file = std::make_unique<File>(opened.ncid, data, opened.writable);
  file->mode = opened.created ? Mode::defining : Mode::collective;
  file->layout.forget(opened.created);
  const std::scoped_lock one_at_a_time(lock);
  files()[opened.ncid] = std::move(file);
}

int end_file(int ncid) {
  std::unique_ptr<File> file;
  {
    const std::scoped_lock one_at_a_time(lock);
    const auto found = files().find(ncid);
    if (found == files().end()) return netcdf::ok;
    file = std::move(found->second);
    files().erase(found);
  }
  return code_of(capi::close_file(&file->data), !file->writable);
}

}  // namespace collio::pnetcdf
