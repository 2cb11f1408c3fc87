// A collective write in two layers and more: in a node through shared memory, between nodes by messages.
//
// Every rank copies its pieces from the user's memory straight to their places in the window; whoever completes a
// window writes it, or sends it to the node that does. A rank leaves the writing to one that is at it already: calls
// on one file serialise in the kernel, and a rank that queues there could place pieces meanwhile. No full window is
// forgotten: who stops writing looks again when it has placed its next window, waits, or is through. Method: two-layer
// aggregation (Kang et al., TPDS 2020), with the merge of piece lists replaced by placing, the exact tiling check and a
// byte mask.
#include "core/batch.hpp"
#include "engine/node_mail.hpp"
#include "engine/node_pieces.hpp"
#include "engine/node_wait.hpp"
#include "exchange/window_io.hpp"

namespace collio::engine {

using exchange::no_round;
using observe::Step;
using observe::Steps;

namespace {

/// Writes full windows. Any number of ranks place, few write.
class WindowWriter {
 public:
  WindowWriter(Call& call, Moved& moved) : call_(call), moved_(moved), slots_(*call.file.slots), serves_(serves(call)) {}

  /// Writes one full window, if there is one and this rank may and no other is at it. True: look again. One only:
  /// a rank that wrote them all would fall behind with its own pieces, and the others would wait for those.
  bool serve() {
    if (!serves_ || !slots_.any_full() || !slots_.begin_serving(1)) return false;
    const int slot = slots_.pop_full();
    if (slot >= 0) write_out(slot);
    slots_.end_serving();
    return slot >= 0 || slots_.any_full();  // a slot that filled meanwhile: its rank left it to this one
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
    if (call_.plan.tiled || f.sum.tiles(f.hull)) {
      ++call_.counters.dense_windows;
      return file.write(span.extent, span.data);
    }
    moved_.outcome.untiled = 1;
    if (!call_.plan.home_masks) {  // pieces overlap here and leave holes there: once more, with masks
      moved_.outcome.again = 1;
      return {};
    }
    core::PackedBuilder pieces({});
    slots_.mask(slot).for_each_extent(f.hull.end() - f.window_offset, [&](const core::Extent& e) {
      pieces.add(core::Extent{e.offset + f.window_offset, e.length});
    });
    exchange::WindowWrite write;
    write.start(call_.link, {&file, call_.file.readable, call_.plan.holes, call_.file.machine.storage}, span, pieces.finish());
    write.finish();
    return write.take();
  }

  Call& call_;
  Moved& moved_;
  exchange::NodeSlots& slots_;
  bool serves_;
};

/// This rank's part of a write.
class NodeWriter {
 public:
  NodeWriter(Call& call, Moved& moved)
      : call_(call), slots_(*call.file.slots), pieces_(call), writer_(call, moved), outgoing_(call),
        mail_(call, {[this](const NodeWindow& w, exchange::Received&& m) { place_message(w, std::move(m)); },
                     [this](const NodeWindow& w, std::int64_t next) { slots_.announce(w.slot, next), arrive(w); }}) {}

  void run() {
    slots_.lay_out(layout_of(call_.plan));
    NodeWindows windows(call_);
    const auto help = [this] { return advance(); };
    for (NodeBatch batch; windows.next(batch);) {
      // What was sent for the batch before last has arrived: a rank runs ahead by two batches at most.
      wait_until(call_, batch.half, help, [this, &batch] { return slots_.ready(batch.half) && outgoing_.empty(batch.half); }, talks());
      mail_.open(batch);
      for (const NodeWindow& window : batch.windows) {
        pass(window);
        advance();
      }
      slots_.leave(batch.half);
    }
    wait_until(call_, 0, help, [this] { return outgoing_.empty() && mail_.idle(); }, talks());
    while (writer_.serve()) {
    }
    if (call_.plan.few_servers)  // the windows that others fill are for this rank to write
      for (const int half : {0, 1}) wait_until(call_, half, help, [this, half] { return slots_.ready(half); }, false);
  }

 private:
  [[nodiscard]] bool talks() const noexcept { return mail_.any() || !outgoing_.empty(); }

  bool advance() {
    bool anything = writer_.serve();
    anything = outgoing_.advance() || anything;
    return mail_.advance() || anything;
  }

  void pass(const NodeWindow& window) {
    const bool elsewhere = window.role != NodeWindow::home;
    if (pieces_.seek(window)) pieces_.place(window, elsewhere || call_.plan.home_masks);
    if (elsewhere) slots_.announce(window.slot, pieces_.next_round(window));
    arrive(window);
  }

  void place_message(const NodeWindow& window, exchange::Received&& message) {
    const exchange::MessageHeader& h = message.view.header;
    if (h.items > 0) {
      Steps::Scope time(call_.steps, Step::place);
      const bool in_mask = window.role != NodeWindow::home || call_.plan.home_masks;
      core::MaskWriter mask(slots_.mask(window.slot), window.extent.offset);
      std::byte* base = slots_.data(window.slot) - window.extent.offset;
      const std::byte* data = message.view.data;
      core::for_each_batch(message.view.reader(), h.items, [&](std::span<const core::Run> runs) {
        data = core::scatter_runs(base, runs, data);
        if (in_mask) mask.add(runs);
      });
      slots_.contribute(window.slot, h.sum, h.span);
    }
    call_.link.pool->give_back(std::move(message.buffer));
  }

  void arrive(const NodeWindow& window) {
    if (!slots_.arrive(window.slot, window.entry)) return;
    if (window.role == NodeWindow::home)
      slots_.push_full(window.slot);
    else
      forward(window);
  }

  /// Everyone's pieces are in the slot. The first message of a domain goes out even if there are none.
  void forward(const NodeWindow& window) {
    const SlotMessage message = describe_slot(call_, window);
    if (message.header.items > 0 || window.round == 0)
      outgoing_.send(message, window, slots_.data(window.slot) + (message.header.span.offset - window.extent.offset));
    slots_.recycle(window.slot);
  }

  Call& call_;
  exchange::NodeSlots& slots_;
  NodePieces pieces_;
  WindowWriter writer_;
  Outgoing outgoing_;
  NodeMail mail_;
};

}  // namespace

Moved two_layer_write(Call& call) {
  Moved moved;
  NodeWriter(call, moved).run();
  return moved;
}

}  // namespace collio::engine
