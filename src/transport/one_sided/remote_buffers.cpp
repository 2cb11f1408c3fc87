// See remote_buffers.hpp.
#include "transport/one_sided/remote_buffers.hpp"

#include <algorithm>
#include <cstdlib>

#include "transport/waiting/collectives.hpp"
#include "transport/waiting/mpi_library.hpp"

namespace collio::transport {

namespace {

constexpr std::int64_t page_bytes = 4096;
// MPICH 4.0.2 (ch4, UCX) leaves fences before other ranks' puts are there: 59 of 3000 in a program of 4 ranks
// that does nothing else, and with 8 ranks also when there are two in a row. Flushes, rank by rank, and a
// barrier keep what a fence promises.
bool own_fences() { return !is_open_mpi(); }

/// Calls transfer(position in the data, place in the target's memory, bytes) for every piece. Returns how
/// many.
template <class Transfer>
std::int64_t for_pieces(const RemoteBuffers::Target& target, Transfer&& transfer) {
  core::PackedReader reader = target.pieces.reader();
  std::int64_t position = 0, transfers = 0;
  core::Run run;
  for (; position < target.bytes; ++transfers) {
    if (run.count == 0) run = reader.next();
    const std::int64_t length = std::min(run.length, target.bytes - position);
    transfer(position, static_cast<MPI_Aint>(target.displacement + run.offset - target.origin),
             static_cast<int>(length));
    position += length;
    run.offset += run.stride;
    --run.count;
  }
  return transfers;
}

}  // namespace

core::Error RemoteBuffers::create(const Request& r) {
  ends_by_ = r.ends_by;
  comm_ = r.comm;
  bytes_ = r.bytes;
  // MPI_Win_create, not MPI_Win_allocate: that makes a file in shared memory, which a limit of file sizes
  // cuts short, and a store to it then ends the program.
  const std::int64_t room = r.aggregates ? (r.bytes + page_bytes - 1) / page_bytes * page_bytes : 0;
  if (room > 0)
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(page_bytes, static_cast<std::size_t>(room))));
  const bool lacks = room > 0 && !memory_;
  if (MPI_Win_create(memory_.get(), lacks ? 0 : static_cast<MPI_Aint>(room), 1, MPI_INFO_NULL, r.comm,
                     &window_) != MPI_SUCCESS ||
      window_ == MPI_WIN_NULL || lacks)
    return {core::ErrorClass::no_memory, "MPI has no window for the aggregators' buffers"};
  int* model = nullptr;
  int found = 0;
  MPI_Win_get_attr(window_, MPI_WIN_MODEL, &model, &found);
  if (!found || *model != MPI_WIN_UNIFIED)
    return {core::ErrorClass::other, "MPI's windows have a public copy beside the memory"};
  return {};
}

std::unique_ptr<RemoteBuffers> RemoteBuffers::make(const Request& request, const Agreement& agreement,
                                                   std::string& why) {
  std::unique_ptr<RemoteBuffers> made(new RemoteBuffers);
  MPI_Errhandler before = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(request.comm, &before);
  MPI_Comm_set_errhandler(request.comm, MPI_ERRORS_RETURN);
  core::Error error = made->create(request);
  MPI_Comm_set_errhandler(request.comm, before);
  if (before != MPI_ERRORS_ARE_FATAL && before != MPI_ERRORS_RETURN) MPI_Errhandler_free(&before);
  error = agreement.worst(error, "has no MPI window for the aggregators' buffers");
  if (!error.ok()) {
    why = "MPI has no window for the aggregators' buffers";
    // Freeing is collective: where a rank has none, the others keep theirs.
    const bool all_have = agreement.all(made->window_ != MPI_WIN_NULL);
    if (all_have) MPI_Win_free(&made->window_);
    made->window_ = MPI_WIN_NULL;
    return nullptr;
  }
  MPI_Win_set_errhandler(made->window_, MPI_ERRORS_ARE_FATAL);
  if (made->locked()) MPI_Win_lock_all(MPI_MODE_NOCHECK, made->window_);
  return made;
}

RemoteBuffers::~RemoteBuffers() {
  if (window_ == MPI_WIN_NULL) return;
  if (locked()) MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

std::int64_t RemoteBuffers::put(const std::byte* from, const Target& target) const {
  return for_pieces(target, [&](std::int64_t position, MPI_Aint place, int bytes) {
    MPI_Put(from + position, bytes, MPI_BYTE, target.rank, place, bytes, MPI_BYTE, window_);
  });
}

std::int64_t RemoteBuffers::get(std::byte* to, const Target& target) const {
  return for_pieces(target, [&](std::int64_t position, MPI_Aint place, int bytes) {
    MPI_Get(to + position, bytes, MPI_BYTE, target.rank, place, bytes, MPI_BYTE, window_);
  });
}

bool RemoteBuffers::locked() const noexcept { return !by_fences() || own_fences(); }

std::string RemoteBuffers::remark() const {
  return by_fences() && own_fences()
             ? "flushes and a barrier stand for MPI_Win_fence, which MPICH may leave before all data is there"
             : "";
}

void RemoteBuffers::flush(int rank) const { MPI_Win_flush(rank, window_); }
void RemoteBuffers::sync() const { MPI_Win_sync(window_); }
void RemoteBuffers::begin_fence() const {
  if (!own_fences())
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window_);
  else
    meet();
}

void RemoteBuffers::end_fence(bool last) const {
  if (!own_fences()) {
    MPI_Win_fence(last ? MPI_MODE_NOSUCCEED : 0, window_);
    return;
  }
  int ranks = 0;
  MPI_Comm_size(comm_, &ranks);
  for (int rank = 0; rank < ranks; ++rank) flush(rank);  // MPI_Win_flush_all returns too early there as well
  meet();
}

/// What any rank stored or transferred before, all see behind it.
void RemoteBuffers::meet() const {
  sync();
  transport::meet(comm_);
  sync();
}

}  // namespace collio::transport
