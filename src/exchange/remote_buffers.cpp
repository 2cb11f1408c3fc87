// See remote_buffers.hpp.
#include "exchange/remote_buffers.hpp"

#include <algorithm>

namespace collio::exchange {

namespace {

constexpr std::int64_t page = 4096;
constexpr std::size_t most_pieces = 1024;  // of a transfer

/// Pieces of a target, as one transfer takes them.
struct Batch {
  std::vector<MPI_Aint> places;  ///< from the begin of the target's memory
  std::vector<int> lengths;
  std::int64_t bytes = 0;

  void add(std::int64_t place, std::int64_t length) {
    places.push_back(static_cast<MPI_Aint>(place));
    lengths.push_back(static_cast<int>(length));
    bytes += length;
  }
};

/// A batch's places, as count and datatype of the target.
class Places {
 public:
  explicit Places(const Batch& batch) {
    if (batch.lengths.size() == 1) {
      count = batch.lengths.front();
      return;
    }
    MPI_Type_create_hindexed(static_cast<int>(batch.lengths.size()), batch.lengths.data(), batch.places.data(), MPI_BYTE, &type);
    MPI_Type_commit(&type);
  }
  /// MPI keeps it until the transfers that use it are over.
  ~Places() {
    if (type != MPI_BYTE) MPI_Type_free(&type);
  }
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;

  /// Where the datatype begins.
  [[nodiscard]] MPI_Aint begin(const Batch& batch) const noexcept { return type == MPI_BYTE ? batch.places.front() : 0; }
  int count = 1;
  MPI_Datatype type = MPI_BYTE;
};

/// Calls transfer(position in the data, batch) until the target's bytes are through. Returns how many times.
template <class Transfer>
int for_batches(const RemoteBuffers::Target& target, Transfer&& transfer) {
  core::PackedReader reader = target.pieces.reader();
  std::int64_t position = 0, left = target.bytes;
  int transfers = 0;
  Batch batch;
  core::Run run;
  while (left > 0) {
    if (run.count == 0) run = reader.next();
    const std::int64_t length = std::min(run.length, left);
    batch.add(target.displacement + run.offset - target.origin, length);
    run.offset += run.stride;
    --run.count;
    left -= length;
    if (left > 0 && batch.lengths.size() < most_pieces) continue;
    transfer(position, batch);
    ++transfers;
    position += batch.bytes;
    batch = {};
  }
  return transfers;
}

}  // namespace

core::Error RemoteBuffers::create(const Request& r) {
  ends_by_ = r.ends_by;
  bytes_ = r.bytes;
  // MPI_Win_allocate, not MPI_Win_create: on a node the memory may then be shared, and a put a copy.
  const MPI_Aint room = r.aggregates ? static_cast<MPI_Aint>(r.bytes + page) : 0;
  void* base = nullptr;
  if (MPI_Win_allocate(room, 1, MPI_INFO_NULL, r.comm, &base, &window_) != MPI_SUCCESS || window_ == MPI_WIN_NULL)
    return {core::ErrorClass::no_memory, "MPI has no window for the aggregators' buffers"};
  base_ = static_cast<std::byte*>(base);
  const auto skew = (page - static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(base) % page)) % page;
  memory_ = room > 0 ? base_ + skew : nullptr;
  int* model = nullptr;
  int found = 0;
  MPI_Win_get_attr(window_, MPI_WIN_MODEL, &model, &found);
  if (!found || *model != MPI_WIN_UNIFIED)
    return {core::ErrorClass::other, "MPI's windows have a public copy beside the memory"};
  return {};
}

std::unique_ptr<RemoteBuffers> RemoteBuffers::make(const Request& request, const Agreement& agreement, std::string& why) {
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
    const bool all_have = agreement.least(made->window_ == MPI_WIN_NULL ? 0 : 1) == 1;
    if (all_have) MPI_Win_free(&made->window_);
    made->window_ = MPI_WIN_NULL;
    return nullptr;
  }
  MPI_Win_set_errhandler(made->window_, MPI_ERRORS_ARE_FATAL);
  if (!made->by_fences()) MPI_Win_lock_all(MPI_MODE_NOCHECK, made->window_);
  return made;
}

RemoteBuffers::~RemoteBuffers() {
  if (window_ == MPI_WIN_NULL) return;
  if (!by_fences()) MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

int RemoteBuffers::put(const std::byte* from, const Target& target) const {
  return for_batches(target, [&](std::int64_t position, const Batch& batch) {
    const Places places(batch);
    MPI_Put(from + position, static_cast<int>(batch.bytes), MPI_BYTE, target.rank, places.begin(batch), places.count, places.type, window_);
  });
}

int RemoteBuffers::get(std::byte* to, const Target& target, std::vector<MPI_Request>& under_way) const {
  return for_batches(target, [&](std::int64_t position, const Batch& batch) {
    const Places places(batch);
    const int bytes = static_cast<int>(batch.bytes);
    if (by_fences()) {
      MPI_Get(to + position, bytes, MPI_BYTE, target.rank, places.begin(batch), places.count, places.type, window_);
      return;
    }
    MPI_Rget(to + position, bytes, MPI_BYTE, target.rank, places.begin(batch), places.count, places.type, window_, &under_way.emplace_back());
  });
}

void RemoteBuffers::flush(int rank) const { MPI_Win_flush(rank, window_); }
void RemoteBuffers::sync() const { MPI_Win_sync(window_); }
void RemoteBuffers::fence(int assertion) const { MPI_Win_fence(assertion, window_); }

}  // namespace collio::exchange
