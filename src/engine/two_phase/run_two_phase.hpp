// What the two-phase write and read share: one loop that drives both roles of a rank.
#pragma once

#include <optional>

#include "engine/moving/call.hpp"
#include "engine/two_phase/fence_steps.hpp"
#include "transport/delivery/inbox.hpp"
#include "transport/delivery/outbox.hpp"
#include "transport/waiting/waiting.hpp"

namespace collio::engine {

/// This rank's own pieces in the domain it serves: they need no message.
class OwnPieces {
 public:
  explicit OwnPieces(CollectiveCall& call);
  [[nodiscard]] std::int64_t next_round() const noexcept {
    return source_ ? source_->next_round() : transport::no_round;
  }
  /// Describes the pieces of the next round: none where there is no memory for that. The view has no data.
  transport::MessageView describe();
  /// First data byte of the pieces described last, in the access's stream.
  [[nodiscard]] std::int64_t stream_begin() const noexcept { return description_.stream_begin; }

 private:
  CollectiveCall& call_;
  std::optional<transport::DomainSource> source_;
  transport::Description description_;
};

/// Has the call's large buffers before any message: an aggregator's windows and messages on the way out, as
/// far as the budget goes, in the pool; room for one on its way in. False: there is no memory. Not
/// collective.
[[nodiscard]] bool make_room(CollectiveCall& call);

/// This rank's lanes. None: there is no memory.
[[nodiscard]] inline std::optional<transport::Outbox> lanes_of(CollectiveCall& call,
                                                               transport::Payload payload) {
  try {
    return std::optional<transport::Outbox>(std::in_place, call.link, call.access, call.plan.domains,
                                            call.memory, payload);
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
}

/// The first round for which an aggregator still lacks messages, or has to send grants.
[[nodiscard]] inline std::int64_t first_incomplete(const transport::Inbox& inbox,
                                                   const transport::Grants& grants) noexcept {
  if (!grants.sent()) return 0;
  const std::int64_t first = inbox.first_incomplete();
  return first == transport::no_round ? transport::behind_all_rounds : first;
}

/// Runs a rank's part of the exchange to its end. Aggregator(call, senders) has advance(moved), done(), and
/// wait_for_storage(moved): when there is nothing else to do, waits for a storage step; false: none is under
/// way. For fences it has first_round_open(), the first round in which it has to do anything before the next
/// fence, and fenced(next): all before `next` is over.
template <class Aggregator>
PathResult run_two_phase(CollectiveCall& call, transport::Payload payload) {
  PathResult moved;
  std::vector<std::int32_t> senders(static_cast<std::size_t>(call.plan.domains.count) + 1,
                                    0);  // and ranks without memory
  std::optional<transport::Outbox> lanes = lanes_of(call, payload);
  if (lanes) lanes->count_lanes(senders);
  if (!lanes || call.link.shortage->left_out || !make_room(call)) {
    ++senders.back();
    moved.note(call.plan.span.offset, {0, no_memory(call)});
  }
  if (call.file.size > 1) {
    observe::Steps::Scope time(call.steps, observe::Step::digest);
    call.ranks.agreement.sum(senders);
  }
  if (senders.back() > 0) return moved;  // so do all ranks: no message is under way
  transport::Outbox& outbox = *lanes;
  std::optional<Aggregator> aggregator;
  const int mine = call.link.my_domain;
  if (mine >= 0 && mine < call.plan.domains.count)
    aggregator.emplace(call, senders[static_cast<std::size_t>(mine)]);

  std::optional<FenceSteps> steps;
  if (call.link.remote && call.link.remote->by_fences()) steps.emplace(call, payload);
  transport::PoliteWait wait;
  while (!outbox.done() || (aggregator && !aggregator->done()) || (steps && steps->left())) {
    bool anything = outbox.advance();
    if (aggregator) anything = aggregator->advance(moved) || anything;
    if (!anything && steps) anything = steps->take(outbox, aggregator ? &*aggregator : nullptr);
    if (anything || (outbox.done() && aggregator && aggregator->wait_for_storage(moved))) {
      wait.progressed();
    } else {
      observe::Steps::Scope time(call.steps, observe::Step::wait);
      wait.idle();
    }
  }
  moved.bytes += outbox.answered_bytes();
  return moved;
}

}  // namespace collio::engine
