// See shared_pointer_calls.hpp.
#include "mpiio/calls/shared_pointer_calls.hpp"

#include "engine/file/same_call.hpp"
#include "engine/report/say.hpp"
#include "mpiio/calls/data_calls.hpp"
#include "mpiio/calls/independent_calls.hpp"
#include "mpiio/calls/subfile_calls.hpp"
#include "mpiio/calls/view_calls.hpp"
#include "mpiio/library/error_codes.hpp"
#include "transport/node_memory/words.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::mpiio {

namespace {

/// The table before these calls were put into it: those with explicit offsets, and the library's.
collio_calls before;

/// The file, if collio keeps its shared pointer.
std::shared_ptr<OpenFile> keeper(MPI_File handle) {
  auto file = find_file(handle);
  return file && file->shared_pointer.kept_here() ? file : nullptr;
}

/// Etypes that the call asks for; 0 where its arguments are wrong, as the data call will say: a call that is
/// refused leaves the pointer alone.
std::int64_t etypes_of(const OpenFile& file, MPI_Count count, MPI_Datatype type) {
  const std::int64_t etype_bytes = file.engine->view.etype_bytes;
  MPI_Count bytes = 0;
  if (type != MPI_DATATYPE_NULL) MPI_Type_size_x(type, &bytes);
  if (count <= 0 || bytes <= 0 || count * bytes % etype_bytes != 0) return 0;
  if (file.converts() && !access::external32_elements(type)) return 0;
  return count * bytes / etype_bytes;
}

/// Why this rank alone may not move the pointer. Not collective.
core::Error refused(const OpenFile& file) {
  if (file.shared_pointer.for_all_ranks()) return {};
  core::Error error{core::ErrorClass::other,
                    file.engine->path + ": no shared file pointer for ranks on " +
                        std::to_string(file.engine->place().ranks.size()) +
                        " nodes, as locks of one node are not known to reach others (docs/conformance.md); "
                        "allowed: ordered calls, explicit offsets, or a mount with global locks"};
  engine::say_once(file.engine->own_comm(), error.message);
  return error;
}

/// Calls at(offset) for this rank's place at the shared pointer. Not collective.
template <class At>
int at_pointer(OpenFile& file, MPI_File handle, std::int64_t etypes, At&& at) {
  if (const core::Error error = refused(file); !error.ok()) return raise(handle, error);
  const auto offset = file.shared_pointer.take(*file.engine, etypes);
  return offset ? at(static_cast<MPI_Offset>(offset.value())) : raise(handle, offset.error());
}

/// Where the first rank's data go. The last rank knows what all ask for; rank 0 moves the pointer, as in
/// seek_shared(): locks need not reach other nodes then. Collective.
core::Result<std::int64_t> take_together(OpenFile& file, const engine::Ranks& ranks,
                                         std::int64_t etypes_to_here) {
  engine::File& f = *file.engine;
  core::Error error;
  std::int64_t all = etypes_to_here, first = 0;
  transport::broadcast(&all, 1, MPI_INT64_T, f.size - 1, ranks.comm);
  if (f.rank == 0) {
    const auto taken = file.shared_pointer.take(f, all);
    first = taken ? taken.value() : -1;
    error = taken ? core::Error{} : taken.error();
  }
  transport::broadcast(&first, 1, MPI_INT64_T, 0, ranks.comm);
  if (first < 0) return ranks.agreement.worst(error, "cannot move the shared file pointer of " + f.path);
  return first;
}

/// Calls at(offset) for this rank's place, in the order of ranks. Collective.
template <class At>
int in_order(OpenFile& file, MPI_File handle, const char* name, std::int64_t etypes, At&& at) {
  file.settle();
  core::Result<std::int64_t> first = std::int64_t{0};
  std::int64_t to_here = 0;
  {
    const engine::Visit visit(*file.engine, name);
    if (const core::Error error = engine::check_same_data_call(visit, name); !error.ok())
      return raise(handle, error);
    to_here = transport::sum_to_here(etypes, visit.comm);
    first = take_together(file, visit, to_here);
  }
  return first ? at(static_cast<MPI_Offset>(first.value() + to_here - etypes)) : raise(handle, first.error());
}

int get_position_shared(MPI_File handle, MPI_Offset* offset) {
  auto file = keeper(handle);
  if (!file) return real->File_get_position_shared(handle, offset);
  return at_pointer(*file, handle, 0, [offset](MPI_Offset at) {
    *offset = at;
    return MPI_SUCCESS;
  });
}

/// Where a seek leads. Not collective.
core::Result<std::int64_t> target_of(OpenFile& file, MPI_File handle, MPI_Offset offset, int whence) {
  core::Result<std::int64_t> from = std::int64_t{0};
  if (whence == MPI_SEEK_CUR) from = file.shared_pointer.take(*file.engine, 0);
  if (whence == MPI_SEEK_END) from = end_in_view(file, handle);
  if (!from) return from;
  if (whence != MPI_SEEK_SET && whence != MPI_SEEK_CUR && whence != MPI_SEEK_END)
    return core::Error{core::ErrorClass::argument, "invalid whence " + std::to_string(whence) +
                                                       "; allowed: MPI_SEEK_SET, MPI_SEEK_CUR, MPI_SEEK_END"};
  const std::int64_t target = from.value() + offset;
  if (target >= 0) return target;
  return core::Error{core::ErrorClass::argument, "the shared file pointer would be at " +
                                                     std::to_string(target) + "; allowed: 0 and more"};
}

int seek_shared(MPI_File handle, MPI_Offset offset, int whence) {
  auto file = keeper(handle);
  if (!file) return before.File_seek_shared(handle, offset, whence);
  file->settle();
  engine::File& f = *file->engine;
  const engine::Visit visit(f, "seek_shared");
  core::Error error = engine::check_same_call(visit, "seek_shared");
  if (!error.ok()) return raise(handle, error);
  transport::Same<MPI_Offset> to{offset};
  transport::Same<int> from{whence};
  error = agree(visit.agreement, {}, "", to, from);
  if (!error.ok()) return raise(handle, error);
  const bool same = to.agreed() && from.agreed();
  if (!same)
    error = {core::ErrorClass::not_same,
             f.path + ": ranks give MPI_File_seek_shared different offsets, or whence"};
  if (same && f.rank == 0) {
    const auto target = target_of(*file, handle, offset, whence);
    error = target ? file->shared_pointer.set(f, target.value()) : target.error();
  }
  error = visit.agreement.worst(error, "cannot move the shared file pointer of " + f.path);
  return error.ok() ? MPI_SUCCESS : raise(handle, error);
}

}  // namespace

void put_shared(collio_calls& t) {
  before = t;
  t.File_get_position_shared = get_position_shared;
  t.File_seek_shared = seek_shared;
#define AT_SHARED(name, way, ending, twin, Count)                                                     \
  if (t.name)                                                                                         \
    t.name = [] COLLIO_PARAMETERS(way, here, ending, Count) -> int {                                  \
      auto own = keeper(file);                                                                        \
      if (!own)                                                                                       \
        if (const core::Error error = writes_beside(file); !error.ok()) return raise(file, error);    \
      if (!own) return before.name COLLIO_ARGUMENTS(here, ending);                                    \
      return at_pointer(*own, file, etypes_of(*own, count, type),                                     \
                        [=](MPI_Offset offset) { return before.twin COLLIO_ARGUMENTS(at, ending); }); \
    };
#define COLLIO_AT_SHARED(name, way, ending, twin) \
  AT_SHARED(name, way, ending, twin, int)         \
  AT_SHARED(name##_c, way, ending, twin##_c, MPI_Count)
#define IN_ORDER(name, way, ending, twin, Count)                                                    \
  if (t.name)                                                                                       \
    t.name = [] COLLIO_PARAMETERS(way, here, ending, Count) -> int {                                \
      auto own = keeper(file);                                                                      \
      if (!own) return before.name COLLIO_ARGUMENTS(here, ending);                                  \
      return in_order(*own, file, &#name[5], etypes_of(*own, count, type),                          \
                      [=](MPI_Offset offset) { return before.twin COLLIO_ARGUMENTS(at, ending); }); \
    };
#define COLLIO_IN_ORDER(name, way, ending, twin) \
  IN_ORDER(name, way, ending, twin, int)         \
  IN_ORDER(name##_c, way, ending, twin##_c, MPI_Count)
#define COLLIO_IN_ORDER_END(name, way, twin)                               \
  t.name = [] COLLIO_END_PARAMETERS(way) -> int {                          \
    return (keeper(file) ? before.twin : before.name)COLLIO_END_ARGUMENTS; \
  };
#include "mpiio/shim/data_calls.def"
#undef AT_SHARED
#undef IN_ORDER
}

}  // namespace collio::mpiio
