// See sequential.hpp.
#include "mpiio/calls/sequential.hpp"

#include <atomic>

#include "mpiio/calls/data_calls.hpp"
#include "mpiio/calls/view_calls.hpp"
#include "mpiio/library/error_codes.hpp"
#include "transport/node_memory/words.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::mpiio {

namespace {

/// The table without the errors.
collio_calls unguarded;

/// else no call needs to look
std::atomic<bool> any_opened{false};

std::shared_ptr<OpenFile> sequential(MPI_File handle) {
  if (!any_opened.load(std::memory_order_relaxed)) return nullptr;
  auto file = find_file(handle);
  return file && file->sequential() ? file : nullptr;
}

int refuse(MPI_File handle, const OpenFile& file) {
  return raise(
      handle, MPI_ERR_UNSUPPORTED_OPERATION,
      file.engine->path +
          " was opened with MPI_MODE_SEQUENTIAL; allowed: reads, writes and views at the shared file "
          "pointer, which cannot be moved otherwise");
}

/// A call of the table with errors in front.
template <auto member>
struct Guard;
template <class... Arguments, int (*collio_calls::*member)(MPI_File, Arguments...)>
struct Guard<member> {
  static int call(MPI_File handle, Arguments... arguments) {
    if (const auto file = sequential(handle)) return refuse(handle, *file);
    return (unguarded.*member)(handle, arguments...);
  }
};

template <auto member>
void guard(collio_calls& table) {
  if (table.*member) table.*member = Guard<member>::call;
}

}  // namespace

void begin_sequential() { any_opened = true; }

core::Result<std::int64_t> begin_of_view(OpenFile& file, const engine::Ranks& ranks, MPI_Offset asked) {
  if (!file.sequential()) return static_cast<std::int64_t>(asked);
  engine::File& f = *file.engine;
  const bool current = asked == MPI_DISPLACEMENT_CURRENT;
  transport::Most<bool> others{!current};  // when all ranks are here, nobody moves the pointer
  if (core::Error error = agree(ranks.agreement, {}, "", others); !error.ok()) return error;
  if (others.value)
    return core::Error{core::ErrorClass::displacement,
                       f.path +
                           " was opened with MPI_MODE_SEQUENTIAL, where a view begins at the shared file "
                           "pointer" +
                           (current ? ", and another rank gives a displacement" : "") +
                           "; allowed: MPI_DISPLACEMENT_CURRENT"};
  core::Error error;
  std::int64_t byte = 0;
  if (f.rank == 0) {
    const auto etypes = file.shared_pointer.take(f, 0);
    byte = etypes ? byte_of_etype(f.view, etypes.value()) : -1;
    error = etypes ? core::Error{} : etypes.error();
  }
  transport::broadcast(&byte, 1, MPI_INT64_T, 0, ranks.comm);
  if (byte < 0) return ranks.agreement.worst(error, "cannot read the shared file pointer of " + f.path);
  return byte;
}

void put_sequential(collio_calls& t) {
  unguarded = t;
#define ONE(name) guard<&collio_calls::name>(t)
#define COLLIO_TOGETHER(name, way, place, ending) \
  ONE(name);                                      \
  ONE(name##_c);
#define COLLIO_ALONE COLLIO_TOGETHER
#define COLLIO_TOGETHER_END(name, way, place) ONE(name);
#include "mpiio/shim/data_calls.def"
  ONE(File_seek);
  ONE(File_seek_shared);
  ONE(File_get_position_shared);
  ONE(File_get_byte_offset);
  ONE(File_set_size);
  ONE(File_preallocate);
#undef ONE
}

}  // namespace collio::mpiio
