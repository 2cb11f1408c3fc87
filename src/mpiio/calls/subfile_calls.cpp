// See subfile_calls.hpp.
#include "mpiio/calls/subfile_calls.hpp"

#include "mpiio/calls/data_calls.hpp"
#include "mpiio/calls/file_size.hpp"
#include "mpiio/library/error_codes.hpp"
#include "mpiio/library/library_path.hpp"

namespace collio::mpiio {

core::Error begin_alone(OpenFile& file, MPI_File handle) {
  file.program_view.mark_etype_only();
  engine::File& f = *file.engine;
  const engine::Visit visit(f, "open");
  file.shared_pointer.begin_view(visit, true);
  if ((file.mode & MPI_MODE_APPEND) == 0) return {};
  std::int64_t bytes = 0;
  core::Error error = engine::agreed_length(visit, bytes);
  if (!error.ok()) return error;
  if (!file.sequential()) real->File_seek(handle, bytes, MPI_SEEK_SET);
  if (f.rank == 0) error = file.shared_pointer.set(f, bytes);
  return visit.agreement.worst(error, "cannot set the shared file pointer of " + f.path);
}

int get_size(MPI_File handle, MPI_Offset* bytes) {
  auto file = find_file(handle);
  if (!file || !alone(*file)) return real->File_get_size(handle, bytes);
  auto length = engine::length_of(*file->engine);
  if (!length) return raise(handle, length.error());
  *bytes = length.value();
  return MPI_SUCCESS;
}

int resize_alone(OpenFile& file, const engine::Ranks& ranks, MPI_File handle, MPI_Offset bytes,
                 storage::Resize how) {
  core::Error error = check_size(file, ranks, bytes);
  if (error.ok()) error = engine::resize(ranks, bytes, how);
  return error.ok() ? MPI_SUCCESS : raise(handle, error);
}

int set_atomicity_alone(OpenFile& file, const engine::Ranks& ranks, MPI_File handle, bool atomic) {
  engine::File& f = *file.engine;
  std::unique_ptr<engine::SpanLocks> locks;
  if (atomic) locks = std::make_unique<engine::SpanLocks>(f.path, file.reads, file.writes);
  const core::Error error =
      ranks.agreement.worst(locks ? locks->error() : core::Error{}, "cannot set atomic mode");
  if (!error.ok()) return raise(handle, error);
  f.stored.atomic = std::move(locks);
  return MPI_SUCCESS;
}

int get_atomicity(MPI_File handle, int* flag) {
  const auto file = find_file(handle);
  if (!file || !alone(*file)) return real->File_get_atomicity(handle, flag);
  *flag = file->engine->stored.atomic ? 1 : 0;
  return MPI_SUCCESS;
}

int delete_file(const char* path, MPI_Info info) {
  const std::string name = engine::absolute_path(without_driver(path));
  if (storage::is_link(name)) return real->File_delete(path, info);  // its file stays
  const storage::FoundFile found = storage::look_for_subfiles(name);
  if (!found.error.ok())
    return raise(MPI_FILE_NULL, {found.error.kind,
                                 "nothing of " + std::string(path) + " is deleted: " + found.error.message +
                                     ". collio fsck lists what is there; remove that by hand"});
  core::Error error = found.former ? remove_former(*found.former) : core::Error{};
  const int rc = real->File_delete(path, info);
  if (rc != MPI_SUCCESS) return rc;
  if (found.set && found.links == 1 && may_change(found.standing)) {
    error = storage::flush_folder(storage::parent_folder(name));  // no placeholder without its subfiles
    if (error.ok()) error = remove_with_last(*found.set);
  }
  return error.ok() ? rc : raise(MPI_FILE_NULL, error);
}

}  // namespace collio::mpiio
