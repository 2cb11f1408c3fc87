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

/// Why PnetCDF keeps the data of the file; null: it need not. Empty: as files of other formats are not its
/// own.
const char* why_kept(int ncid) {
  int format = 0;
  if (library().inq_format(ncid, &format) != 0 || (format != 1 && format != 2 && format != 5)) return "";
  const char* const safe = ::secure_getenv("PNETCDF_SAFE_MODE");
  if (safe && *safe != '0') return "PNETCDF_SAFE_MODE checks its own calls";
  engine::Pairs hints = hints_in_force(ncid);
  if (hints["nc_burst_buf"] == "enable") return "its burst buffer is enabled (nc_burst_buf)";
  if (hints["pnetcdf_subfiling"] == "enable") return "its own subfiling is enabled (pnetcdf_subfiling)";
  return nullptr;
}

}  // namespace

File* find_file(int ncid) noexcept {
  const std::scoped_lock one_at_a_time(lock);
  const auto found = files().find(ncid);
  return found == files().end() ? nullptr : found->second.get();
}

void serve_file(const Opened& opened) {
  int ranks = 0;
  MPI_Comm_size(opened.comm, &ranks);
  if (ranks == 1) return;  // there is nothing to gain
  const char* const why = why_kept(opened.ncid);
  int rank = 0;
  MPI_Comm_rank(opened.comm, &rank);
  // PnetCDF's own handle has the subfiles of a file: two of one job would each take the other for a program
  // that writes them.
  const bool in_subfiles =
      rank == 0 &&
      storage::look_for_subfiles(engine::absolute_path(without_kind(opened.path))).set.has_value();
  int kept = why || in_subfiles ? 1 : 0;
  transport::reduce_to_all(&kept, 1, MPI_INT, MPI_MAX, opened.comm);
  if (why && *why) engine::say_once(opened.comm, std::string("PnetCDF moves its data itself: ") + why);
  if (kept) return;
  const int mode = opened.writable ? COLLIO_READ | COLLIO_WRITE | COLLIO_WHOLE : COLLIO_READ;
  collio_file* data = nullptr;
  const std::string hints = hints_of(opened.info);
  const int code = capi::open_file_on(opened.comm, without_kind(opened.path), mode, hints.c_str(), &data);
  if (code != COLLIO_OK && code != COLLIO_ERR_OTHER)  // of which one is that collio is disabled
    engine::say_once(opened.comm, std::string("PnetCDF moves its data itself: ") + capi::error_text());
  if (code != COLLIO_OK) return;
  if (!data->open->engine->settings.hints.pnetcdf) {
    static_cast<void>(capi::close_file(&data));
    return;
  }
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
