// A collective write in two layers and more: in a node through shared memory, between nodes by messages.
//
// Every rank copies its pieces from the user's memory straight to their places in the window; the rank that
// completes a window writes it, or sends it to the node that does. If another rank is writing, it leaves the
// window to that rank: calls on one file serialise in the kernel, and a rank that queues there could place
// pieces meanwhile. No full window is forgotten: a rank that stops writing looks for full windows again after
// it has placed its next one, while it waits, and at its end. Method: two-layer aggregation (Kang et al.,
// TPDS 2020), with the merge of piece lists replaced by placing, the exact tiling check and a byte mask.
#include "engine/two_layer/two_layer.hpp"

#include <iterator>
#include <list>

#include "core/batch.hpp"
#include "engine/two_layer/node_mail.hpp"
#include "engine/two_layer/node_pieces.hpp"
#include "engine/two_layer/node_wait.hpp"
#include "transport/messages/message_parts.hpp"
#include "transport/windows/window_io.hpp"

namespace collio::engine {

using observe::Step;
using observe::Steps;
using transport::no_round;

namespace {

/// Writes full windows. Any number of ranks place, few write. Where the storage goes on by itself a rank
/// starts the write, goes on with its own pieces, and gives the slot back when the write is over.
class WindowWriter {
 public:
  WindowWriter(CollectiveCall& call, PathResult& moved)
      : call_(call), moved_(moved), slots_(call.buffers.slots()), serves_(serves(call)) {}

  /// Starts to write one full window, if there is one and this rank may and no other is at it. True: look
  /// again. One only: a rank that wrote them all would fall behind with its own pieces, and the others would
  /// wait for those.
  bool serve() {
    const bool anything = look_after_writes();
    if (!serves_ || !slots_.queue.any_full() || !slots_.queue.begin_serving(1)) return anything;
    const int slot = slots_.queue.pop_full();
    if (slot >= 0) write_out(slot);
    slots_.queue.end_serving();
    return anything || slot >= 0 ||
           slots_.queue.any_full();  // a slot that filled meanwhile: its rank left it to this one
  }

  /// Writes are under way, and no other rank starts those that become possible meanwhile.
  [[nodiscard]] bool must_look() const noexcept { return call_.plan.few_servers && !under_way_.empty(); }

  /// Waits for the write that was started first; false: none is under way.
  bool finish_one() {
    if (under_way_.empty()) return false;
    conclude(under_way_.begin());
    return true;
  }

 private:
  struct UnderWay {
    int slot = 0;
    /// of the first byte
    std::int64_t offset = 0;
    transport::WindowWrite write;
  };

  bool look_after_writes() {
    bool anything = false;
    for (auto one = under_way_.begin(); one != under_way_.end();) {
      const auto next = std::next(one);
      if (one->write.advance()) conclude(one), anything = true;
      one = next;
    }
    return anything;
  }

  void conclude(std::list<UnderWay>::iterator one) {
    Steps::Scope time(call_.steps, Step::write);
    one->write.finish();
    moved_.note(one->offset, one->write.take());
    slots_.recycle(one->slot);
    under_way_.erase(one);
  }

  void write_out(int slot) {
    const transport::NodeSlots::Filled f = slots_.books.filled(slot);
    core::Error why;
    storage::Storage* file = f.sum.bytes > 0 ? call_.file.stored.handle(&why) : nullptr;
    if (!why.ok()) moved_.note(f.hull.offset, {0, why});
    if (!file || !start_write(*file, slot, f)) return slots_.recycle(slot);
    if (!file->overlaps()) conclude(std::prev(under_way_.end()));
  }

  /// False: it is left out.
  bool start_write(storage::Storage& file, int slot, const transport::NodeSlots::Filled& f) {
    const transport::WindowSpan span{f.hull, slots_.memory.data(slot) + (f.hull.offset - f.window_offset)};
    const transport::WindowStorage where{&file, call_.file.stored.readable, call_.plan.holes, call_.all_wait,
                                         call_.file.machine.storage};
    const bool tiled = call_.plan.tiled ? f.sum.bytes == f.hull.length : f.sum.tiles(f.hull);
    if (!tiled) moved_.outcome.untiled = 1;
    if (!tiled &&
        !call_.plan.home_masks) {  // pieces overlap here and leave holes there: once more, with masks
      moved_.outcome.again = 1;
      return false;
    }
    Steps::Scope time(call_.steps, Step::write);
    UnderWay& one = under_way_.emplace_back();
    one.slot = slot;
    one.offset = f.hull.offset;
    if (tiled) {
      one.write.start(call_.link, where, span);
    } else if (!one.write.start(call_.link, where, span, pieces_in(slot, f))) {
      call_.link.leave_out();
      under_way_.pop_back();
      return false;
    }
    return true;
  }

  transport::WindowPieces pieces_in(int slot, const transport::NodeSlots::Filled& f) {
    const core::ByteMask mask = slots_.memory.mask(slot);
    const std::int64_t end = f.hull.end() - f.window_offset, offset = f.window_offset;
    return {mask.extents(end), f.sum.bytes, [mask, end, offset](const auto& sink) {
              mask.for_each_extent(end, [&](const core::Extent& e) { sink({e.offset + offset, e.length}); });
            }};
  }

  CollectiveCall& call_;
  PathResult& moved_;
  transport::NodeSlots& slots_;
  bool serves_;
  std::list<UnderWay> under_way_;
};

/// This rank's part of a write.
class NodeWriter {
 public:
  NodeWriter(CollectiveCall& call, PathResult& moved)
      : call_(call),
        slots_(call.buffers.slots()),
        windows_(call),
        pieces_(call),
        writer_(call, moved),
        outgoing_(call, windows_),
        mail_(call, windows_,
              {[this](const NodeWindow& w, transport::Received&& m) { place_message(w, std::move(m)); },
               [this](const NodeWindow& w, const NodeMail::Account& mail) {
                 slots_.books.announce(w.slot, mail.any, mail.next);
                 arrive(w);
               }}) {}

  void run() {
    slots_.lay_out(windows_.layout());
    const auto polls = [this] { return talks(); };
    const auto help = [this] { return advance() || write_last() || (!talks() && writer_.finish_one()); };
    while (windows_.any_left()) {
      NodeLane* lane = nullptr;
      wait_until(
          call_, windows_.awaited_group(), help,
          [&] { return (lane = windows_.next_lane([this](const NodeBatch& b) { return may_enter(b); })); },
          polls);
      enter(*lane);
    }
    wait_until(call_, 0, help, [this] { return outgoing_.empty() && mail_.idle(); }, polls);
    while (writer_.serve() || writer_.finish_one()) {}
    if (call_.plan.few_servers && serves(call_))  // the windows that others fill are for this rank to write
      for (int group = 0; group < windows_.layout().groups.groups(); ++group)
        wait_until(
            call_, group, help, [this, group] { return slots_.turns.ready(group); },
            [this] { return writer_.must_look(); });
  }

 private:
  [[nodiscard]] bool talks() const noexcept {
    return mail_.any() || !outgoing_.empty() || writer_.must_look();
  }

  bool advance() {
    bool anything = !serves_last_ && writer_.serve();
    anything = outgoing_.advance() || anything;
    return mail_.advance() || anything;
  }

  /// Not before the messages of the first step are out: their connections may have to be made, which takes
  /// this rank, too. All nodes have slots for that step, so no message of it waits for a write.
  bool write_last() {
    return serves_last_ && !windows_.sends_first_step() && !outgoing_.sends_first_step() && writer_.serve();
  }

  [[nodiscard]] bool may_enter(const NodeBatch& batch) const noexcept {
    return slots_.turns.ready(batch.group) && outgoing_.may_send(batch);
  }

  void enter(NodeLane& lane) {
    slots_.turns.enter(lane.batch.group);
    mail_.open(lane.batch);
    for (const NodeWindow& window : lane.batch.windows) {
      if (window.mine) pass(window);
      advance();
    }
    windows_.advance(lane);
  }

  void pass(const NodeWindow& window) {
    if (pieces_.seek(window)) take_along(window);
    arrive(window);
  }

  void take_along(const NodeWindow& window) {
    slots_.memory.map_pages(window.slot, window.packed ? window.room_bytes : window.extent.length);
    if (window.packed)
      pieces_.pack(window, true);
    else
      pieces_.place(window, window.role != NodeWindow::home || call_.plan.home_masks);
  }

  void place_message(const NodeWindow& window, transport::Received&& message) {
    const transport::MessageHeader& h = message.view.header;
    if (h.items > 0) {
      Steps::Scope time(call_.steps, Step::place);
      const bool in_mask = window.role != NodeWindow::home || call_.plan.home_masks;
      core::MaskWriter mask(slots_.memory.mask(window.slot), window.extent.offset);
      std::byte* base = slots_.memory.data(window.slot) - window.extent.offset;
      slots_.memory.map_pages(window.slot, window.extent.length);
      for_each_part(message.view, window.extent.offset, true, [&](transport::MessagePart part) {
        core::for_each_batch(part.reader, part.items, [&](std::span<const core::Run> runs) {
          part.data = core::scatter_runs(base, runs, part.data);
          if (in_mask) mask.add(runs);
        });
      });
    }
    if (h.items > 0 || (window.role == NodeWindow::relay && h.data_bytes() > 0))
      slots_.books.contribute(window.slot, h.sum, h.span);  // left out: this node's message is due
    call_.link.pool->give_back(std::move(message.buffer));
  }

  void arrive(const NodeWindow& window) {
    if (!slots_.books.arrive(window.slot, window.entry)) return;
    if (window.role == NodeWindow::home)
      slots_.queue.push_full(window.slot);
    else
      forward(window);
  }

  /// Everyone's pieces are in the slot.
  void forward(const NodeWindow& window) {
    SlotMessage message = describe_slot(call_, window, windows_.next_round(window));
    if (message.due) outgoing_.send(message, window, true);
    slots_.recycle(window.slot);
  }

  CollectiveCall& call_;
  transport::NodeSlots& slots_;
  const bool serves_last_ = serves_last(call_);
  NodeWindows windows_;
  NodePieces pieces_;
  WindowWriter writer_;
  Outgoing outgoing_;
  NodeMail mail_;
};

}  // namespace

PathResult two_layer_write(CollectiveCall& call) {
  PathResult moved;
  if (!make_mail_room(call, moved)) return moved;
  NodeWriter(call, moved).run();
  return moved;
}

}  // namespace collio::engine
