// See file_size.hpp.
#include "mpiio/file_size.hpp"

#include "mpiio/error_codes.hpp"

namespace collio::mpiio {

core::Error check_size(const OpenFile& file, MPI_Offset bytes) {
  const engine::File& f = *file.engine;
  std::int64_t most[] = {bytes, ~bytes};
  if (core::Error error = f.agreement->worst({}, "", most); !error.ok()) return error;
  if (most[0] != ~most[1])
    return {core::ErrorClass::not_same, f.path + ": ranks ask for sizes from " + std::to_string(~most[1]) +
                                            " to " + std::to_string(most[0]) + " bytes"};
  if (bytes < 0)
    return {core::ErrorClass::argument,
            f.path + ": the size " + std::to_string(bytes) + " is negative; allowed: 0 and more"};
  if (!file.writes) return {core::ErrorClass::read_only, f.path + " was opened read-only"};
  return {};
}

int preallocate_file(OpenFile& file, MPI_File handle, MPI_Offset bytes) {
  core::Error error = check_size(file, bytes);
  if (!error.ok()) return raise(handle, error);
  engine::File& f = *file.engine;
  storage::Storage* const mine = f.rank == 0 ? f.storage() : nullptr;
  if (f.agreement->least(f.rank == 0 && !mine ? 0 : 1) == 0) return real->File_preallocate(handle, bytes);
  if (mine) error = mine->allocate(bytes);
  error = f.agreement->worst(error, "cannot make room on disk for " + f.path);
  return error.ok() ? MPI_SUCCESS : raise(handle, error);
}

}  // namespace collio::mpiio
