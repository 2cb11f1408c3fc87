// See independent_calls.hpp.
#include "mpiio/calls/independent_calls.hpp"

#include <new>

#include "mpiio/calls/data_calls.hpp"
#include "mpiio/calls/subfile_calls.hpp"
#include "mpiio/library/error_codes.hpp"
#include "mpiio/view/give_view.hpp"

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
  if (!file || !file->engine->stored.has_writer_mark()) return {};
  std::call_once(file->own_mark, [&] { keep_mark(handle, storage::WriterMark::put(file->engine->path)); });
  return {};
} catch (const std::bad_alloc&) {
  return {core::ErrorClass::no_memory, "no memory to let others see a write"};
}

}  // namespace collio::mpiio
