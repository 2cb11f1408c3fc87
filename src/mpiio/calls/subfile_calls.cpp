// See subfile_calls.hpp.
#include "mpiio/calls/subfile_calls.hpp"

#include "mpiio/calls/data_calls.hpp"
#include "mpiio/calls/file_size.hpp"
#include "mpiio/library/error_codes.hpp"
#include "mpiio/library/library_path.hpp"
#include "storage/subfiles/leaving.hpp"

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
  const storage::LeavingName name(engine::absolute_path(without_driver(path)));
  if (const core::Error refusal = name.refusal_to_delete(); !refusal.ok())
    return raise(MPI_FILE_NULL, refusal);
  if (const int rc = real->File_delete(path, info); rc != MPI_SUCCESS) return rc;
  const core::Error error = name.remove_set();
  return error.ok() ? MPI_SUCCESS : raise(MPI_FILE_NULL, error);
}

}  // namespace collio::mpiio
