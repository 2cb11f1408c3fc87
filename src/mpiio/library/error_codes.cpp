// See error_codes.hpp.
#include "mpiio/library/error_codes.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

#include "access/mpi_life.hpp"
#include "core/shortened.hpp"
#include "mpiio/library/library.hpp"

namespace collio::mpiio {

namespace {

int mpi_class(core::ErrorClass kind) {
  using core::ErrorClass;
  switch (kind) {
    case ErrorClass::none:
      return MPI_SUCCESS;
    case ErrorClass::other:
      return MPI_ERR_OTHER;
    case ErrorClass::argument:
      return MPI_ERR_ARG;
    case ErrorClass::displacement:
      return MPI_ERR_DISP;
    case ErrorClass::type:
      return MPI_ERR_TYPE;
    case ErrorClass::not_same:
      return MPI_ERR_NOT_SAME;
    case ErrorClass::no_memory:
      return MPI_ERR_NO_MEM;
    case ErrorClass::bad_file:
      return MPI_ERR_BAD_FILE;
    case ErrorClass::no_such_file:
      return MPI_ERR_NO_SUCH_FILE;
    case ErrorClass::file_exists:
      return MPI_ERR_FILE_EXISTS;
    case ErrorClass::access:
      return MPI_ERR_ACCESS;
    case ErrorClass::read_only:
      return MPI_ERR_READ_ONLY;
    case ErrorClass::in_use:
      return MPI_ERR_FILE_IN_USE;
    case ErrorClass::io:
      return MPI_ERR_IO;
    case ErrorClass::quota:
      return MPI_ERR_QUOTA;
    case ErrorClass::no_space:
      return MPI_ERR_NO_SPACE;
  }
  return MPI_ERR_OTHER;
}

/// What the latest error of each class was called. Never locked while MPI is called.
std::mutex texts_mutex;
std::map<int, std::string> texts;

enum class Handler { returns, fatal, own };

/// What the file's error handler does. Where errors end the program, MPI tells their text, and MPICH's is not
/// ours.
Handler tell_if_fatal(MPI_File file, const std::string& message) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (MPI_File_get_errhandler(file, &handler) != MPI_SUCCESS) return Handler::own;
  const Handler kind = handler == MPI_ERRORS_ARE_FATAL ? Handler::fatal
                       : handler == MPI_ERRORS_RETURN  ? Handler::returns
                                                       : Handler::own;
  if (kind == Handler::fatal) std::fprintf(stderr, "collio: %s\n", message.c_str());
  MPI_Errhandler_free(&handler);
  return kind;
}

int code_of(int error_class, const std::string& message) {
  static std::mutex mutex;
  static std::map<int, int> codes;
  static std::uint64_t life = 0;  // of MPI, in which they were made
  const std::scoped_lock lock(mutex);
  if (life != access::mpi_life()) {
    life = access::mpi_life();
    codes.clear();
    const std::scoped_lock told(texts_mutex);
    texts.clear();
  }
  if (!access::mpi_stays()) codes.clear();
  auto [entry, fresh] = codes.try_emplace(error_class, 0);
  if (fresh && MPI_Add_error_code(error_class, &entry->second) != MPI_SUCCESS) entry->second = error_class;
  if (entry->second != error_class) {
    const std::string text = core::shortened("collio: " + message, MPI_MAX_ERROR_STRING - 1);
    MPI_Add_error_string(entry->second, text.c_str());
    const std::scoped_lock told(texts_mutex);
    texts[entry->second] = text;
  }
  return entry->second;
}

}  // namespace

int error_code(const core::Error& error) { return code_of(mpi_class(error.kind), error.message); }

core::ErrorClass class_of(int error_class) {
  for (auto kind = static_cast<std::int32_t>(core::ErrorClass::other);
       kind <= static_cast<std::int32_t>(core::ErrorClass::no_space); ++kind)
    if (mpi_class(static_cast<core::ErrorClass>(kind)) == error_class)
      return static_cast<core::ErrorClass>(kind);
  return core::ErrorClass::other;
}

int error_string(int code, char* text, int* length) {
  std::unique_lock lock(texts_mutex);
  const auto known = texts.find(code);
  if (known == texts.end()) {
    lock.unlock();
    return real->Error_string(code, text, length);
  }
  std::strcpy(text, known->second.c_str());
  *length = static_cast<int>(known->second.size());
  return MPI_SUCCESS;
}

int raise(MPI_File file, const core::Error& error) {
  return raise(file, mpi_class(error.kind), error.message);
}

int raise(MPI_File file, int error_class, const std::string& message) {
  const Handler handler = tell_if_fatal(file, message);
  int code = error_class;
  try {
    code = code_of(error_class, message);
  } catch (const std::bad_alloc&) {  // the class alone needs no memory
  }
  // Open MPI calls no handler of MPI_FILE_NULL: it takes the call for a wrong one, and ends the job.
  if (file != MPI_FILE_NULL || handler != Handler::returns) MPI_File_call_errhandler(file, code);
  return code;
}

}  // namespace collio::mpiio
