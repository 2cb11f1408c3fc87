// A collective read in two layers and more: the two-layer write run backwards.
//
// On the node that serves a window the first rank to pass reads it, and every rank copies its pieces from
// there straight to the user's memory. On other nodes the ranks mark the bytes they want; the last rank to
// mark requests them, and all ranks copy from the answer. A rank that comes to a window before its data goes
// on to the next window, so reads run ahead of copies.
#include "engine/two_layer/two_layer.hpp"

#include <algorithm>
#include <deque>
#include <limits>

#include "engine/two_layer/node_pieces.hpp"
#include "engine/two_layer/node_requests.hpp"
#include "transport/messages/message_parts.hpp"
#include "transport/waiting/waiting.hpp"

namespace collio::engine {

using observe::Step;
using observe::Steps;

namespace {

/// Reads windows from the file. Where the storage goes on by itself a rank starts a read, and copies from
/// other windows meanwhile.
class WindowLoader {
 public:
  WindowLoader(CollectiveCall& call, PathResult& moved)
      : call_(call), moved_(moved), slots_(call.buffers.slots()), serves_(engine::serves(call)) {}

  [[nodiscard]] bool serves() const noexcept { return serves_; }
  /// Nothing is under way.
  [[nodiscard]] bool idle() const noexcept { return under_way_.empty(); }
  /// Among several nodes the rank that gets the requests for a window reads it, where few ranks serve: it
  /// knows whether there are any.
  [[nodiscard]] bool may_load(const NodeWindow& window) const noexcept {
    return serves_ && window.role == NodeWindow::home &&
           (!call_.plan.several_nodes || !call_.plan.few_servers || window.receives);
  }

  /// Begins to read the window if this rank may and no other does. True when it is there now.
  bool load(const NodeWindow& window) {
    if (!may_load(window) || !slots_.loads.claim(window.slot)) return false;
    const core::Extent& span = call_.plan.span;
    core::Extent wanted{std::max(window.extent.offset, span.offset), 0};
    wanted.length = std::max<std::int64_t>(0, std::min(window.extent.end(), span.end()) - wanted.offset);
    storage::Transfer none;
    if (wanted.length == 0) return conclude(window.slot, wanted, none);
    ++(call_.plan.holes_sure ? call_.counters.sieved_windows : call_.counters.dense_windows);
    file_ = call_.file.stored.handle(&none.error);
    if (!file_) return conclude(window.slot, wanted, none);
    Steps::Scope time(call_.steps, Step::read);
    slots_.memory.map_pages(window.slot, window.extent.length);
    std::byte* to = slots_.memory.data(window.slot) + (wanted.offset - window.extent.offset);
    if (!file_->overlaps()) return conclude(window.slot, wanted, file_->read(wanted, to));
    under_way_.push_back({window.slot, wanted, file_->start_read(wanted, to)});
    return false;
  }

  /// This rank is reading the slot's window.
  [[nodiscard]] bool loading(int slot) const noexcept {
    return std::ranges::find(under_way_, slot, &UnderWay::slot) != under_way_.end();
  }
  /// Looks after what was begun. True when any window is there now.
  bool advance() {
    if (under_way_.empty()) return false;
    Steps::Scope time(call_.steps, Step::read);
    return std::erase_if(under_way_, [this](const UnderWay& one) {
             return file_->done(one.ticket) && conclude(one.slot, one.wanted, file_->finish(one.ticket));
           }) > 0;
  }
  /// Waits for the read that was begun first; false: none is under way.
  bool finish_one() {
    if (under_way_.empty()) return false;
    Steps::Scope time(call_.steps, Step::read);
    const UnderWay one = under_way_.front();
    under_way_.erase(under_way_.begin());
    return conclude(one.slot, one.wanted, file_->finish(one.ticket));
  }

 private:
  struct UnderWay {
    int slot = 0;
    core::Extent wanted;
    storage::Ticket ticket = 0;
  };

  /// The window is there, as far as the file goes. True.
  bool conclude(int slot, const core::Extent& wanted, const storage::Transfer& t) {
    moved_.note(wanted.offset, t);
    const bool all = t.bytes == wanted.length;
    slots_.loads.finish_loading(slot,
                                all ? std::numeric_limits<std::int64_t>::max() : wanted.offset + t.bytes);
    return true;
  }

  CollectiveCall& call_;
  PathResult& moved_;
  transport::NodeSlots& slots_;
  bool serves_;
  /// once a read was begun
  storage::Storage* file_ = nullptr;
  std::vector<UnderWay> under_way_;
};

/// This rank's part of a read.
class NodeReader {
 public:
  NodeReader(CollectiveCall& call, PathResult& moved)
      : call_(call),
        moved_(moved),
        slots_(call.buffers.slots()),
        windows_(call),
        pieces_(call),
        loader_(call, moved),
        outgoing_(call, windows_),
        requests_(call, outgoing_),
        answers_(call, outgoing_),
        mail_(call, windows_,
              {[this](const NodeWindow& w, transport::Received&& m) { accept(w, std::move(m)); },
               [this](const NodeWindow& w, const NodeMail::Account& mail) { requests_are_in(w, mail); }}) {}

  void run() {
    slots_.lay_out(windows_.layout());
    transport::WordWait asleep(call_.link.comm);
    transport::PoliteWait polling;
    while (windows_.any_left() || !begun_.empty() || !all_sent()) {
      const std::uint32_t seen = slots_.turns.watch(windows_.awaited_group());
      bool anything = advance();
      while (begin_next()) anything = true;
      anything = pass_all() || anything || load_last();
      Steps::Scope time(call_.steps, Step::wait);
      if (anything)
        polling.progressed(), asleep.progressed();
      else if (talks() || (!windows_.any_left() && begun_.empty()))
        polling.idle();
      else if (!loader_.finish_one())
        sleep(seen, asleep);
    }
  }

 private:
  [[nodiscard]] bool talks() const noexcept {
    return mail_.any() || !outgoing_.empty() || !requests_.empty();
  }
  [[nodiscard]] bool all_sent() const noexcept {
    return outgoing_.empty() && mail_.idle() && answers_.empty() && wanted_.empty() && loader_.idle();
  }

  bool advance() {
    bool anything = loader_.advance();
    while (!serves_last_ && load_wanted()) anything = true;
    anything = outgoing_.advance() || anything;
    anything = requests_.advance() || anything;
    anything = mail_.advance() || anything;
    return answers_.advance() || anything;
  }

  /// Until a group of slots is in turn or a window is loaded.
  void sleep(std::uint32_t seen, transport::WordWait& asleep) const noexcept {
    if (begun_.empty() || call_.plan.several_nodes)
      slots_.turns.idle(windows_.awaited_group(), seen, asleep);
    else
      slots_.loads.idle(begun_.front().windows.front().slot, asleep);
  }

  [[nodiscard]] bool may_begin(const NodeBatch& batch) const noexcept {
    return slots_.turns.ready(batch.group) && outgoing_.may_send(batch);
  }

  /// Asks for what is served elsewhere, so that it is on its way while earlier batches pass. False: no batch
  /// may begin.
  bool begin_next() {
    if (begun_.size() >= most_begun_) return false;
    NodeLane* lane = windows_.next_lane([this](const NodeBatch& batch) { return may_begin(batch); });
    if (!lane) return false;
    NodeBatch& batch = lane->batch;
    mail_.open(batch);
    for (NodeWindow& window : batch.windows) {
      if (window.mine && window.role != NodeWindow::home) mark(window);
      if (window.anyone && call_.plan.few_servers && window.receives && window.role == NodeWindow::home)
        wanted_.push_back(window);
    }
    slots_.turns.enter(batch.group);
    std::erase_if(batch.windows, [](const NodeWindow& window) { return !window.mine; });
    if (!batch.windows.empty()) begun_.push_back(std::move(batch));
    windows_.advance(*lane);
    return true;
  }

  void mark(NodeWindow& window) {
    if (pieces_.seek(window)) {
      if (window.packed)
        window.answer_at = pieces_.pack(window, false);
      else
        pieces_.mark(window);
    }
    arrive(window);
  }

  void arrive(const NodeWindow& window) {
    if (slots_.books.arrive(window.slot, window.entry)) requests_.ask(window, windows_.next_round(window));
  }

  /// A request of another node for a window that is served here, or passed on.
  void accept(const NodeWindow& window, transport::Received&& message) {
    const transport::MessageHeader& h = message.view.header;
    if (window.role == NodeWindow::relay && h.items == 0 && h.data_bytes() > 0)
      slots_.books.contribute(window.slot, h.sum, h.span);  // left out; this request is due
    if (window.role == NodeWindow::relay && h.items > 0) {
      core::MaskWriter mask(slots_.memory.mask(window.slot), window.extent.offset);
      for_each_part(message.view, window.extent.offset, false, [&](transport::MessagePart part) {
        for (std::int64_t i = 0; i < part.items; ++i) mask.add(part.reader.next());
      });
      slots_.books.contribute(window.slot, h.sum, h.span);
    }
    const bool waits = answers_.keep(window, std::move(message));
    if (waits && window.role == NodeWindow::home && !window.anyone && !slots_.loads.loaded(window.slot) &&
        !loader_.loading(window.slot) &&
        std::ranges::find(wanted_, window.slot, &NodeWindow::slot) == wanted_.end())
      wanted_.push_back(window);
  }

  void requests_are_in(const NodeWindow& window, const NodeMail::Account& mail) {
    answers_.complete(window);
    if (window.role != NodeWindow::relay) return;
    slots_.books.announce(window.slot, mail.any, mail.next);
    arrive(window);
  }

  /// Passes the windows that are there, loaded by this rank or others.
  bool pass_all() {
    bool anything = false;
    for (NodeBatch& batch : begun_)
      anything =
          std::erase_if(batch.windows, [this](const NodeWindow& window) { return pass(window); }) > 0 ||
          anything;
    std::erase_if(begun_, [](const NodeBatch& batch) { return batch.windows.empty(); });
    return anything;
  }

  /// False: the window is not there yet.
  bool pass(const NodeWindow& window) {
    const bool loaded = slots_.loads.loaded(window.slot) || (!serves_last_ && load(window));
    // Elsewhere, nobody departs before the answer: the slot counts marks until then.
    if (loader_.loading(window.slot)) return false;  // the slot is this rank's to write to until then
    if (!loaded &&
        (window.role != NodeWindow::home || (serves_last_ && loader_.serves()) || pieces_.seek(window)))
      return false;
    if (loaded && pieces_.seek(window)) {
      const std::int64_t end_of_file = slots_.loads.end_of_file(window.slot);
      moved_.bytes +=
          window.packed ? pieces_.collect_packed(window, end_of_file) : pieces_.collect(window, end_of_file);
    }
    slots_.depart(window.slot, window.entry);
    return true;
  }

  /// Reads one window ahead, where that keeps this rank from its messages.
  bool load_last() {
    if (!serves_last_) return false;
    if (load_wanted()) return true;
    for (const NodeBatch& batch : begun_)
      for (const NodeWindow& window : batch.windows)
        if (load(window)) return true;
    return false;
  }

  /// False: no window is wanted of this rank. A window has no slot for sure but as long as it is wanted.
  bool load_wanted() {
    if (wanted_.empty()) return false;
    const NodeWindow window = wanted_.front();
    load(window);
    return true;
  }

  bool load(const NodeWindow& window) {
    if (loader_.may_load(window))
      std::erase_if(wanted_, [&](const NodeWindow& one) { return one.slot == window.slot; });
    return loader_.load(window);
  }

  CollectiveCall& call_;
  PathResult& moved_;
  transport::NodeSlots& slots_;
  NodeWindows windows_;
  NodePieces pieces_;
  WindowLoader loader_;
  Outgoing outgoing_;
  NodeRequests requests_;
  NodeAnswers answers_;
  NodeMail mail_;
  const bool serves_last_ = serves_last(call_);
  /// One node's windows are there as soon as they are read; those of other nodes are under way for longer.
  const std::size_t most_begun_ =
      call_.plan.several_nodes ? static_cast<std::size_t>(windows_.layout().groups.groups()) : 1;
  /// windows that this rank passes
  std::deque<NodeBatch> begun_;
  /// to be read by this rank and no other
  std::vector<NodeWindow> wanted_;
};

}  // namespace

PathResult two_layer_read(CollectiveCall& call) {
  PathResult moved;
  if (!make_mail_room(call, moved)) return moved;
  NodeReader(call, moved).run();
  return moved;
}

}  // namespace collio::engine
