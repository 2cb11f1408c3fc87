// A collective write in two phases (del Rosario, Bordawekar & Choudhary, 1993; Thakur, Gropp & Lusk, 1999).
//
// Every rank sends its pieces to the aggregators that own them; every aggregator places what arrives in its
// collective buffer and writes it, window by window.
#include "engine/two_phase.hpp"
#include "exchange/window.hpp"

namespace collio::engine {

using exchange::no_round;
using observe::Step;
using observe::Steps;

namespace {

/// This rank as aggregator of one domain.
class WriteAggregator {
 public:
  WriteAggregator(Call& call, int senders)
      : call_(call),
        inbox_(call.link, call.link.my_domain, senders, early_),
        window_(call.link, {call.file.storage(), call.file.readable, call.plan.holes, call.file.machine.storage},
                call.plan.domains.window_bytes),
        own_(call) {
    inbox_.announce_own(own_.next_round());
  }

  [[nodiscard]] bool done() const noexcept { return inbox_.round() == no_round; }

  bool advance(Moved& moved) {
    if (done()) return false;
    bool anything = !open_;
    if (!open_) open_window();
    anything = inbox_.advance([&](exchange::Received&& message) {
      window_.place(message.view);
      call_.link.pool->give_back(std::move(message.buffer));
    }) || anything;
    if (!inbox_.round_complete()) return anything;
    moved.note(window_.span().offset, window_.write_out());
    call_.counters.note_receives(inbox_.expected());
    inbox_.next_round();
    open_ = false;
    return true;
  }

 private:
  void open_window() {
    open_ = true;
    window_.open(call_.plan.domains.window(call_.link.my_domain, inbox_.round()));
    if (own_.next_round() == inbox_.round()) place_own();
  }

  /// Straight from the user's buffer when that is contiguous.
  void place_own() {
    exchange::MessageView own = own_.describe();
    const std::int64_t bytes = own.header.data_bytes();
    exchange::Buffer staging;
    if (call_.memory.contiguous()) {
      own.data = call_.memory.at(own_.stream_begin());
    } else {
      Steps::Scope time(call_.steps, Step::pack);
      staging = call_.link.pool->take(static_cast<std::size_t>(bytes));
      call_.memory.gather(own_.stream_begin(), bytes, staging.data());
      own.data = staging.data();
    }
    window_.place(own);
    call_.link.pool->give_back(std::move(staging));
    inbox_.announce_own(own_.next_round());
  }

  Call& call_;
  exchange::EarlyMessages early_;
  exchange::Inbox inbox_;
  exchange::Window window_;
  OwnPieces own_;
  bool open_ = false;
};

}  // namespace

Moved two_phase_write(Call& call) { return run_two_phase<WriteAggregator>(call, exchange::Payload::data); }

}  // namespace collio::engine
