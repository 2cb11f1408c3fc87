// See opening.hpp.
#include "mpiio/opening.hpp"

#include <cstdlib>
#include <new>

#include "mpiio/info.hpp"
#include "mpiio/library_path.hpp"
#include "policy/automatic_hints.hpp"

namespace collio::mpiio {

Opening::Opening(MPI_Comm comm, const char* path, int mode, MPI_Info info)
    : request{comm, "", !(mode & MPI_MODE_WRONLY), !(mode & MPI_MODE_RDONLY), {}, {}} {
  words.mode = mode;
  try {
    EnvironmentHints environment = environment_hints(path);
    merged = merged_info(info, environment);
    request.hints = policy::chosen_hints(pairs_of(info));
    for (const auto& [key, value] : environment.pairs) request.hints[key] = value;
    request.warnings = std::move(environment.warnings);
    const auto check = request.hints.find("collio_check"), patience = request.hints.find("collio_patience");
    words.check = check != request.hints.end() && check->second != "disable";
    if (patience != request.hints.end()) words.patience_s = std::atof(patience->second.c_str());
  } catch (const std::bad_alloc&) {
    words.has_memory = false;
  }
}

Opening::~Opening() {
  if (merged != MPI_INFO_NULL) MPI_Info_free(&merged);
}

void Opening::note_opened(bool opened, MPI_File file, const char* path) {
  words.opened = opened;
  if (!opened || !words.has_memory) return;
  try {
    auto found = path_of_library(file, path);
    if (found)
      request.path = std::move(found.value());
    else
      words.path = found.error();
  } catch (const std::bad_alloc&) {
    words.has_memory = false;
  }
}

}  // namespace collio::mpiio
