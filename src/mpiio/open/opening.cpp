// See opening.hpp.
#include "mpiio/open/opening.hpp"

#include <cstdlib>
#include <new>

#include "engine/session/other_settings.hpp"
#include "mpiio/library/library.hpp"
#include "mpiio/library/library_path.hpp"
#include "policy/hints/automatic_hints.hpp"
#include "policy/hints/hints.hpp"
#include "storage/subfile_format/mark.h"

namespace collio::mpiio {

namespace {

/// How the library says that the file is striped.
Pairs striping_of(MPI_File file) {
  MPI_Info info = MPI_INFO_NULL;
  if (real->File_get_info(file, &info) != MPI_SUCCESS) return {};
  Pairs known = pairs_of(info), striping;
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  for (const char* key : {"striping_unit", "striping_factor"})
    if (const auto one = known.find(key);
        one != known.end() && std::atoll(one->second.c_str()) > 0 && policy::is_allowed(key, one->second))
      striping.insert(*one);
  return striping;
}

}  // namespace

Opening::Opening(MPI_Comm comm, const char* path, int mode, MPI_Info info)
    : request{comm, "", !(mode & MPI_MODE_WRONLY), !(mode & MPI_MODE_RDONLY), {}, {}, {}} {
  words.mode = mode;
  request.only_in_subfiles = (mode & MPI_MODE_SEQUENTIAL) != 0;
  try {
    engine::EnvironmentHints environment = engine::environment_hints(without_driver(path));
    merged = merged_info(info, environment);
    program_ = policy::chosen_hints(pairs_of(info));
    environment_ = std::move(environment.pairs);
    request.hints = environment_;
    request.hints.insert(program_.begin(), program_.end());
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

void Opening::lay_out(MPI_Comm comm, const char* path) {
  const bool one_way = ((words.mode & MPI_MODE_RDWR) != 0) != ((words.mode & MPI_MODE_WRONLY) != 0);
  const bool may_make = (words.mode & MPI_MODE_CREATE) != 0 && one_way &&
                        (words.mode & (MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL)) == 0;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (!may_make || rank != 0 || !words.has_memory) return;
  try {
    request.new_layout =
        engine::lay_out_new_file(without_driver(path), request.hints, (words.mode & MPI_MODE_EXCL) != 0);
  } catch (const std::bad_alloc&) {
    words.has_memory = false;
  }
}

void Opening::look(MPI_File file, const char* path) {
  auto found = path_of_library(file, path);
  if (found)
    request.path = std::move(found.value());
  else
    words.path = found.error();
  int rank = 0;
  MPI_Comm_rank(request.comm, &rank);
  if (rank != 0) return;
  if (words.path.ok()) request.found = storage::look_for_subfiles(engine::absolute_path(request.path));
  words.in_subfiles = words.path.ok() ? request.found.set || !request.found.error.ok()
                                      : collio_may_open_placeholder(path) != 0;
  if (words.path.ok() && request.writes) writer_mark = storage::WriterMark::put(request.path);
  if (writer_mark) request.writer_mark = writer_mark->number();
  engine::OtherSettings other =
      engine::other_settings({program_, environment_, path, without_driver(path), striping_of(file)});
  request.settings = std::move(other.pairs);
  origins = std::move(other.origins);
  request.warnings.insert(request.warnings.end(), other.warnings.begin(), other.warnings.end());
}

void Opening::note_opened(bool opened, MPI_File file, const char* path) {
  words.opened = opened;
  if (!opened) engine::undo_layout(request.new_layout);
  if (!opened) return;
  try {
    if (words.has_memory) look(file, path);
    if (words.has_memory && words.path.ok()) proposal = engine::propose(request);
  } catch (const std::bad_alloc&) {
    words.has_memory = false;
  }
  int rank = 0;
  MPI_Comm_rank(request.comm, &rank);
  if (!words.has_memory && rank == 0) words.in_subfiles = collio_may_open_placeholder(path) != 0;
}

}  // namespace collio::mpiio
