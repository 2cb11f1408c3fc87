// See error_codes.hpp.
#include "mpiio/error_codes.hpp"

#include <map>
#include <mutex>

namespace collio::mpiio {

namespace {

int mpi_class(core::ErrorClass kind) {
  using core::ErrorClass;
  switch (kind) {
    case ErrorClass::none: return MPI_SUCCESS;
    case ErrorClass::other: return MPI_ERR_OTHER;
    case ErrorClass::argument: return MPI_ERR_ARG;
    case ErrorClass::type: return MPI_ERR_TYPE;
    case ErrorClass::not_same: return MPI_ERR_NOT_SAME;
    case ErrorClass::no_memory: return MPI_ERR_NO_MEM;
    case ErrorClass::bad_file: return MPI_ERR_BAD_FILE;
    case ErrorClass::no_such_file: return MPI_ERR_NO_SUCH_FILE;
    case ErrorClass::access: return MPI_ERR_ACCESS;
    case ErrorClass::read_only: return MPI_ERR_READ_ONLY;
    case ErrorClass::in_use: return MPI_ERR_FILE_IN_USE;
    case ErrorClass::io: return MPI_ERR_IO;
    case ErrorClass::quota: return MPI_ERR_QUOTA;
    case ErrorClass::no_space: return MPI_ERR_NO_SPACE;
  }
  return MPI_ERR_OTHER;
}

}  // namespace

int error_code(const core::Error& error) {
  static std::mutex mutex;
  static std::map<core::ErrorClass, int> codes;
  const std::scoped_lock lock(mutex);
  auto [entry, fresh] = codes.try_emplace(error.kind, 0);
  if (fresh && MPI_Add_error_code(mpi_class(error.kind), &entry->second) != MPI_SUCCESS)
    entry->second = mpi_class(error.kind);
  if (entry->second != mpi_class(error.kind)) {
    const std::string text = ("collio: " + error.message).substr(0, MPI_MAX_ERROR_STRING - 1);
    MPI_Add_error_string(entry->second, text.c_str());
  }
  return entry->second;
}

int raise(MPI_File file, const core::Error& error) {
  const int code = error_code(error);
  MPI_File_call_errhandler(file, code);
  return code;
}

}  // namespace collio::mpiio
