// See file_size.hpp.
#include "mpiio/calls/file_size.hpp"

#include "mpiio/library/error_codes.hpp"

namespace collio::mpiio {

core::Error check_size(const OpenFile& file, const engine::Ranks& ranks, MPI_Offset bytes) {
  core::Error mode;
  if (!file.writes) mode = {core::ErrorClass::read_only, file.engine->path + " was opened read-only"};
  return file.check_size(ranks, bytes, mode);
}

int preallocate_file(OpenFile& file, const engine::Ranks& ranks, MPI_File handle, MPI_Offset bytes) {
  core::Error error = check_size(file, ranks, bytes);
  if (!error.ok()) return raise(handle, error);
  engine::File& f = *file.engine;
  storage::Storage* const mine = f.rank == 0 ? f.stored.handle() : nullptr;
  if (!ranks.agreement.all(f.rank != 0 || mine)) return real->File_preallocate(handle, bytes);
  if (mine) error = mine->allocate(bytes);
  error = ranks.agreement.worst(error, "cannot make room on disk for " + f.path);
  return error.ok() ? MPI_SUCCESS : raise(handle, error);
}

}  // namespace collio::mpiio
