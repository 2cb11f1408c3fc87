// A collective write in two phases (del Rosario, Bordawekar & Choudhary, 1993; Thakur, Gropp & Lusk, 1999).
//
// Every rank sends its pieces to the aggregators that own them; every aggregator places what arrives in its
// collective buffer and writes it, window by window. One loop drives both roles of a rank, so no rank ever
// waits for one thing only.
#include <optional>

#include "engine/call.hpp"
#include "exchange/inbox.hpp"
#include "exchange/outbox.hpp"
#include "exchange/waiting.hpp"
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
        domain_(call.link.my_domain),
        inbox_(call.link, senders),
        window_(call.link, window_storage(call), call.plan.domains.window_bytes) {
    if (call.access.bytes > 0) own_.emplace(call.access, call.plan.domains, domain_);
    if (own_) inbox_.announce_own(own_->next_round());
  }

  [[nodiscard]] bool done() const noexcept { return inbox_.round() == no_round; }

  bool advance(Moved& moved) {
    if (done()) return false;
    bool anything = false;
    if (!open_) {
      window_.open(call_.plan.domains.window(domain_, inbox_.round()));
      place_own();
      open_ = anything = true;
    }
    anything = inbox_.advance([&](exchange::Received&& message) {
      window_.place(message.view);
      call_.link.pool->give_back(std::move(message.buffer));
    }) || anything;
    if (!inbox_.round_complete()) return anything;
    moved.note(window_.span().offset, window_.write_out());
    inbox_.next_round();
    open_ = false;
    return true;
  }

  static exchange::WindowStorage window_storage(Call& call) {
    storage::Storage* file = call.file.storage();
    return {file, call.file.readable, call.plan.holes, call.file.machine.storage};
  }

 private:
  /// Own pieces need no message: straight from the user's buffer when that is contiguous.
  void place_own() {
    if (!own_ || own_->next_round() != inbox_.round()) return;
    {
      Steps::Scope time(call_.steps, Step::pack);
      own_->describe(description_);
    }
    exchange::MessageView view{description_.header, description_.extents.data(), nullptr};
    const std::int64_t bytes = view.header.data_bytes();
    exchange::Buffer staging;
    if (call_.memory.contiguous()) {
      view.data = call_.memory.at(description_.stream_begin);
    } else {
      Steps::Scope time(call_.steps, Step::pack);
      staging = call_.link.pool->take(static_cast<std::size_t>(bytes));
      call_.memory.gather(description_.stream_begin, bytes, staging.data());
      view.data = staging.data();
    }
    window_.place(view);
    call_.counters.pieces += view.header.pieces;
    call_.link.pool->give_back(std::move(staging));
    inbox_.announce_own(own_->next_round());
  }

  Call& call_;
  int domain_;
  exchange::Inbox inbox_;
  exchange::Window window_;
  std::optional<exchange::DomainSource> own_;
  exchange::Description description_;
  bool open_ = false;
};

}  // namespace

Moved two_phase_write(Call& call) {
  Moved moved;
  exchange::Outbox outbox(call.link, call.access, call.plan.domains);
  std::vector<std::int32_t> senders(static_cast<std::size_t>(call.plan.domains.count), 0);
  outbox.count_lanes(senders);
  if (call.file.size > 1) {
    Steps::Scope time(call.steps, Step::digest);
    exchange::sum(call.link.comm, senders);
  }
  std::optional<WriteAggregator> aggregator;
  const int mine = call.link.my_domain;
  if (mine >= 0 && mine < call.plan.domains.count) aggregator.emplace(call, senders[static_cast<std::size_t>(mine)]);

  exchange::PoliteWait wait;
  while (!outbox.done() || (aggregator && !aggregator->done())) {
    bool anything = outbox.advance(call.memory, exchange::Payload::data);
    if (aggregator) anything = aggregator->advance(moved) || anything;
    if (anything) {
      wait.progressed();
    } else {
      Steps::Scope time(call.steps, Step::wait);
      wait.idle();
    }
  }
  return moved;
}

}  // namespace collio::engine
