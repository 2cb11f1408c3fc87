// See independent_calls.hpp.
#include "mpiio/calls/independent_calls.hpp"

#include <new>

#include "mpiio/calls/data_calls.hpp"
#include "mpiio/calls/subfile_calls.hpp"
#include "mpiio/library/error_codes.hpp"
#include "mpiio/view/give_view.hpp"
#include "transport/waiting/mpi_library.hpp"

namespace collio::mpiio {

std::shared_ptr<OpenFile> own_independent(MPI_File handle) {
  auto file = find_file(handle);
  if (file) file->note_independent();
  if (file) file->program_view.note_independent();
  if (!file || file->program_view.installed()) return nullptr;
  if (alone(*file) || file->engine->size > 1 || !library_takes_view(*file)) return file;
  file->program_view.install(handle, *real);
  return nullptr;
}

core::Error writes_beside(MPI_File handle) try {
  auto file = find_file(handle);
  if (!file || !file->engine->has_writer_mark()) return {};
  std::call_once(file->own_mark, [&] { keep_mark(handle, storage::WriterMark::put(file->engine->path)); });
  return {};
} catch (const std::bad_alloc&) {
  return {core::ErrorClass::no_memory, "no memory to let others see a write"};
}

void put_independent(collio_calls& t) {
  // The program's call as a DataCall, or the MPI library's own function `name` for the file.
#define BLOCKING(name, parameters, arguments, write, explicit_offset, offset)                              \
  if (t.name)                                                                                              \
    t.name = [] parameters -> int {                                                                        \
      if (write && transport::any_thread_may_call())                                                       \
        if (const core::Error error = writes_beside(file); !error.ok()) return raise(file, error);         \
      if (auto own = own_independent(file))                                                                \
        return independent(                                                                                \
            *own, {file, write, explicit_offset, offset, const_cast<void*>(buffer), count, type, status}); \
      return real->name arguments;                                                                         \
    };
#define NONBLOCKING(name, parameters, arguments, write, explicit_offset, offset)                           \
  if (t.name)                                                                                              \
    t.name = [] parameters -> int {                                                                        \
      if (write)                                                                                           \
        if (const core::Error error = writes_beside(file); !error.ok()) return raise(file, error);         \
      if (auto own = own_independent(file))                                                                \
        return independent_at_once(                                                                        \
            *own, {file, write, explicit_offset, offset, const_cast<void*>(buffer), count, type, nullptr}, \
            request);                                                                                      \
      return real->name arguments;                                                                         \
    };
#define FORMS(suffix, Count)                                                                                 \
  BLOCKING(File_write##suffix,                                                                               \
           (MPI_File file, const void* buffer, Count count, MPI_Datatype type, MPI_Status* status),          \
           (file, buffer, count, type, status), true, false, 0)                                              \
  BLOCKING(File_read##suffix,                                                                                \
           (MPI_File file, void* buffer, Count count, MPI_Datatype type, MPI_Status* status),                \
           (file, buffer, count, type, status), false, false, 0)                                             \
  BLOCKING(File_write_at##suffix,                                                                            \
           (MPI_File file, MPI_Offset at, const void* buffer, Count count, MPI_Datatype type,                \
            MPI_Status* status),                                                                             \
           (file, at, buffer, count, type, status), true, true, at)                                          \
  BLOCKING(File_read_at##suffix,                                                                             \
           (MPI_File file, MPI_Offset at, void* buffer, Count count, MPI_Datatype type, MPI_Status* status), \
           (file, at, buffer, count, type, status), false, true, at)                                         \
  NONBLOCKING(File_iwrite##suffix,                                                                           \
              (MPI_File file, const void* buffer, Count count, MPI_Datatype type, MPI_Request* request),     \
              (file, buffer, count, type, request), true, false, 0)                                          \
  NONBLOCKING(File_iread##suffix,                                                                            \
              (MPI_File file, void* buffer, Count count, MPI_Datatype type, MPI_Request* request),           \
              (file, buffer, count, type, request), false, false, 0)                                         \
  NONBLOCKING(File_iwrite_at##suffix,                                                                        \
              (MPI_File file, MPI_Offset at, const void* buffer, Count count, MPI_Datatype type,             \
               MPI_Request* request),                                                                        \
              (file, at, buffer, count, type, request), true, true, at)                                      \
  NONBLOCKING(                                                                                               \
      File_iread_at##suffix,                                                                                 \
      (MPI_File file, MPI_Offset at, void* buffer, Count count, MPI_Datatype type, MPI_Request* request),    \
      (file, at, buffer, count, type, request), false, true, at)
  FORMS(, int)
  FORMS(_c, MPI_Count)
#undef FORMS
#undef BLOCKING
#undef NONBLOCKING
}

}  // namespace collio::mpiio
