// A collective write through the shared memory of a node.
//
// Every rank copies its pieces from the user's memory straight to their places in the window; the rank that completes
// a window writes it, or leaves it to one that is writing already: calls on one file serialise in the kernel, and a
// rank that queues there could place pieces meanwhile. No full window is forgotten: who stops writing looks again when
// it has placed its next window, waits, or is through. Method: the intra-node layer of two-layer aggregation (Kang et
// al., TPDS 2020), with the merge of piece lists replaced by placing, the exact tiling check and a byte mask.
#include <algorithm>
#include <array>
#include <span>

#include "core/batch.hpp"
#include "engine/node_windows.hpp"
#include "exchange/window_io.hpp"

namespace collio::engine {

using observe::Step;
using observe::Steps;

namespace {

constexpr std::int64_t staging_bytes = 64 << 10;  ///< for memory that is not contiguous; stays in cache

/// Writes full windows. Any number of ranks place, few write.
class WindowWriter {
 public:
  WindowWriter(Call& call, Moved& moved) : call_(call), moved_(moved), slots_(*call.file.slots), serves_(serves(call)) {}

  /// Writes one full window, if there is one and this rank may and no other is at it. True when it wrote. One only:
  /// a rank that wrote them all would fall behind with its own pieces, and the others would wait for those.
  bool serve() {
    if (!serves_ || !slots_.any_full() || !slots_.begin_serving(1)) return false;
    const int slot = slots_.pop_full();
    if (slot >= 0) write_out(slot);
    slots_.end_serving();
    return slot >= 0;
  }

 private:
  void write_out(int slot) {
    const exchange::NodeSlots::Filled f = slots_.filled(slot);
    if (f.sum.bytes > 0) {
      Steps::Scope time(call_.steps, Step::write);
      core::Error why;
      storage::Storage* file = call_.file.storage(&why);
      moved_.note(f.hull.offset, file ? write_filled(*file, slot, f) : storage::Transfer{0, why});
    }
    slots_.recycle(slot);
  }

  storage::Transfer write_filled(storage::Storage& file, int slot, const exchange::NodeSlots::Filled& f) {
    const exchange::WindowSpan span{f.hull, slots_.data(slot) + (f.hull.offset - f.window_offset)};
    if (f.sum.tiles(f.hull)) {
      ++call_.counters.dense_windows;
      return file.write(span.extent, span.data);
    }
    if (!call_.plan.masks) {  // pieces overlap here and leave holes there: once more, with masks
      moved_.outcome.again = 1;
      return {};
    }
    core::PackedBuilder pieces({});
    slots_.mask(slot).for_each_extent(f.hull.end() - f.window_offset, [&](const core::Extent& e) {
      pieces.add(core::Extent{e.offset + f.window_offset, e.length});
    });
    return write_with_holes(call_.link, {&file, call_.file.readable, call_.plan.holes, call_.file.machine.storage}, span,
                            pieces.finish());
  }

  Call& call_;
  Moved& moved_;
  exchange::NodeSlots& slots_;
  bool serves_;
};

/// Copies this rank's pieces into windows.
class Placer {
 public:
  explicit Placer(Call& call) : call_(call), slots_(*call.file.slots), cursor_(call.access.pattern) {
    if (!call.memory.contiguous()) staging_ = call.link.pool->take(staging_bytes);
  }
  ~Placer() { call_.link.pool->give_back(std::move(staging_)); }
  Placer(const Placer&) = delete;
  Placer& operator=(const Placer&) = delete;

  void place(const NodeWindow& window) {
    const core::Extent& mine = call_.access.span;
    const std::int64_t begin = std::max(window.extent.offset, mine.offset);
    limit_ = std::min(window.extent.end(), mine.end());
    if (call_.access.bytes == 0 || begin >= limit_) return;
    Steps::Scope time(call_.steps, Step::place);
    cursor_.seek_offset(begin);
    if (cursor_.at_end() || cursor_.offset() >= limit_) return;
    const std::int64_t hull_begin = cursor_.offset();
    base_ = slots_.data(window.slot) - window.extent.offset;
    core::TilingSum sum;
    const std::int64_t hull_end = staging_ ? place_staged(sum, window) : place_direct(sum, window);
    slots_.contribute(window.slot, sum, {hull_begin, hull_end - hull_begin});
  }

 private:
  static constexpr std::size_t batch_size = 128;

  /// From contiguous memory. Returns the end of the last piece.
  std::int64_t place_direct(core::TilingSum& sum, const NodeWindow& window) {
    const std::byte* from = call_.memory.at(cursor_.stream() - call_.access.begin);
    core::MaskWriter mask(slots_.mask(window.slot), window.extent.offset);
    std::array<core::Run, batch_size> batch;
    std::int64_t end = 0;
    while (const std::size_t n = cursor_.next_batch(limit_, batch)) {
      from = core::scatter_runs(base_, std::span(batch).first(n), from);
      note(std::span(batch).first(n), sum, mask);
      end = batch[n - 1].end();
    }
    return end;
  }

  /// From any memory, through a small buffer. Returns the end of the last piece.
  std::int64_t place_staged(core::TilingSum& sum, const NodeWindow& window) {
    core::MaskWriter mask(slots_.mask(window.slot), window.extent.offset);
    std::int64_t end = 0;
    while (!cursor_.at_end() && cursor_.offset() < limit_) {
      core::Cursor ahead = cursor_;
      ahead.seek_offset(limit_);
      const std::int64_t bytes = std::min(staging_bytes, ahead.stream() - cursor_.stream());
      call_.memory.gather(cursor_.stream() - call_.access.begin, bytes, staging_.data());
      const std::byte* from = staging_.data();
      core::Run run;
      for (std::int64_t left = bytes; left > 0; left -= run.bytes()) {
        cursor_.next_bytes(left, run);
        from = core::scatter_runs(base_, {&run, 1}, from);
        note({&run, 1}, sum, mask);
        end = run.end();
      }
    }
    return end;
  }

  void note(std::span<const core::Run> runs, core::TilingSum& sum, core::MaskWriter& mask) {
    sum.add(core::tiling_sum(runs));
    for (const core::Run& run : runs) call_.counters.pieces += run.count;
    if (!call_.plan.masks) return;
    for (const core::Run& run : runs) mask.add(run);
  }

  Call& call_;
  exchange::NodeSlots& slots_;
  core::Cursor cursor_;
  exchange::Buffer staging_;
  std::byte* base_ = nullptr;
  std::int64_t limit_ = 0;
};

}  // namespace

Moved two_layer_write(Call& call) {
  Moved moved;
  exchange::NodeSlots& slots = *call.file.slots;
  slots.lay_out(layout_of(call.plan));
  Placer placer(call);
  WindowWriter writer(call, moved);
  const auto serve = [&] { return writer.serve(); };
  NodeWindows windows(call);
  for (NodeBatch batch; windows.next(batch);) {
    await_half(call, batch.half, serve);
    for (const NodeWindow& window : batch.windows) {
      placer.place(window);
      if (slots.arrive(window.slot, batch.entry(window))) slots.push_full(window.slot);
      writer.serve();
    }
    slots.leave(batch.half);
  }
  while (writer.serve()) {
  }
  if (call.plan.few_servers)  // the windows that others fill are for this rank to write
    for (const int half : {0, 1}) await_half(call, half, serve);
  return moved;
}

}  // namespace collio::engine
