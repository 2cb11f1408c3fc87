// A collective read through the shared memory of a node: the two-layer write run backwards.
//
// The first rank to pass a window reads it; every rank copies its pieces from there straight to the user's memory. A
// rank that finds a window being read by another goes on to the next, so reads run ahead of copies.
#include <algorithm>
#include <array>
#include <limits>

#include "core/batch.hpp"
#include "engine/node_windows.hpp"

namespace collio::engine {

using observe::Step;
using observe::Steps;

namespace {

constexpr std::int64_t staging_bytes = 64 << 10;  ///< for memory that is not contiguous; stays in cache

/// Reads windows from the file.
class WindowLoader {
 public:
  WindowLoader(Call& call, Moved& moved) : call_(call), moved_(moved), slots_(*call.file.slots), serves_(serves(call)) {}

  /// Reads the window if this rank may and no other does. True when it is there now.
  bool load(const NodeWindow& window) {
    if (!serves_ || !slots_.claim(window.slot)) return false;
    Steps::Scope time(call_.steps, Step::read);
    core::Error why;
    storage::Storage* file = call_.file.storage(&why);
    const storage::Transfer t = file ? file->read(window.extent, slots_.data(window.slot)) : storage::Transfer{0, why};
    moved_.note(window.extent.offset, t);
    ++call_.counters.dense_windows;
    const bool whole = t.bytes == window.extent.length;
    slots_.finish_loading(window.slot, whole ? std::numeric_limits<std::int64_t>::max() : window.extent.offset + t.bytes);
    return true;
  }

 private:
  Call& call_;
  Moved& moved_;
  exchange::NodeSlots& slots_;
  bool serves_;
};

/// Copies this rank's pieces out of windows.
class Collector {
 public:
  Collector(Call& call, Moved& moved)
      : call_(call), moved_(moved), slots_(*call.file.slots), cursor_(call.access.pattern) {
    if (!call.memory.contiguous()) staging_ = call.link.pool->take(staging_bytes);
  }
  ~Collector() { call_.link.pool->give_back(std::move(staging_)); }
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  /// True when this rank has bytes in the window. Leaves the cursor at the first.
  bool wants(const NodeWindow& window) {
    const core::Extent& mine = call_.access.span;
    const std::int64_t begin = std::max(window.extent.offset, mine.offset);
    limit_ = std::min(window.extent.end(), mine.end());
    if (call_.access.bytes == 0 || begin >= limit_) return false;
    cursor_.seek_offset(begin);
    return !cursor_.at_end() && cursor_.offset() < limit_;
  }

  /// After wants().
  void collect(const NodeWindow& window) {
    Steps::Scope time(call_.steps, Step::place);
    limit_ = std::min(limit_, slots_.end_of_file(window.slot));
    base_ = slots_.data(window.slot) - window.extent.offset;
    const std::int64_t before = cursor_.stream();
    staging_ ? collect_staged() : collect_direct();
    moved_.bytes += cursor_.stream() - before;
  }

 private:
  static constexpr std::size_t batch_size = 128;

  void collect_direct() {
    std::byte* to = call_.memory.at(cursor_.stream() - call_.access.begin);
    std::array<core::Run, batch_size> batch;
    while (const std::size_t n = cursor_.next_batch(limit_, batch)) {
      to = core::gather_runs(to, base_, std::span(batch).first(n));
      for (std::size_t i = 0; i < n; ++i) call_.counters.pieces += batch[i].count;
    }
  }

  void collect_staged() {
    while (!cursor_.at_end() && cursor_.offset() < limit_) {
      core::Cursor ahead = cursor_;
      ahead.seek_offset(limit_);
      const std::int64_t begin = cursor_.stream() - call_.access.begin;
      const std::int64_t bytes = std::min(staging_bytes, ahead.stream() - cursor_.stream());
      std::byte* to = staging_.data();
      core::Run run;
      for (std::int64_t left = bytes; left > 0; left -= run.bytes()) {
        cursor_.next_bytes(left, run);
        to = core::gather_runs(to, base_, {&run, 1});
        call_.counters.pieces += run.count;
      }
      call_.memory.scatter(begin, bytes, staging_.data());
    }
  }

  Call& call_;
  Moved& moved_;
  exchange::NodeSlots& slots_;
  core::Cursor cursor_;
  exchange::Buffer staging_;
  const std::byte* base_ = nullptr;
  std::int64_t limit_ = 0;
};

/// Passes the windows of a batch as they are loaded, by this rank or others: pass(batch, window) says when it did.
template <class Pass>
void pass_when_loaded(Call& call, const NodeBatch& batch, Pass&& pass) {
  std::vector<NodeWindow> left = batch.windows;
  exchange::WordWait wait(call.link.comm);
  while (std::erase_if(left, [&](const NodeWindow& window) { return pass(batch, window); }), !left.empty()) {
    Steps::Scope time(call.steps, Step::wait);
    call.file.slots->idle_for_load(left.front().slot, wait);
  }
}

}  // namespace

Moved two_layer_read(Call& call) {
  Moved moved;
  exchange::NodeSlots& slots = *call.file.slots;
  slots.lay_out(layout_of(call.plan));
  WindowLoader loader(call, moved);
  Collector collector(call, moved);
  const auto pass = [&](const NodeBatch& batch, const NodeWindow& window) {
    const bool loaded = slots.loaded(window.slot) || loader.load(window);
    if (collector.wants(window)) {
      if (!loaded) return false;
      collector.collect(window);
    }
    slots.depart(window.slot, batch.entry(window));
    return true;
  };
  NodeWindows windows(call);
  for (NodeBatch batch; windows.next(batch);) {
    await_half(call, batch.half, [] { return false; });
    pass_when_loaded(call, batch, pass);
    slots.leave(batch.half);
  }
  return moved;
}

}  // namespace collio::engine
