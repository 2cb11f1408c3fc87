// The steps all ranks of a call take together when its one-sided transfers end with fences.
//
// A step is for one round. Before it every rank has begun as much of its part of that round as its staging
// has room for, and every aggregator has the round's descriptions. Then all agree on the first round in which
// anything is left, and a fence ends what was begun. An aggregator's round is complete when the agreed one is
// a later one. Steps of rounds in which no rank has pieces do not happen, and an aggregator that has fewer
// rounds, or whose storage fails, comes to all the same.
//
// Writes put as soon as they are granted, between two steps. Reads get between two fences of the step, as
// what an aggregator stored before the first is sure to be seen behind it.
//
// Why ranks cannot deadlock: before a step a rank needs only what other ranks do before the same step, or
// storage steps, which need no other rank. Ranks wait politely in the agreement; at the fence all of them
// have come.
#pragma once

#include <algorithm>

#include "engine/moving/call.hpp"
#include "transport/delivery/outbox.hpp"

namespace collio::engine {

class FenceSteps {
 public:
  /// Collective.
  FenceSteps(CollectiveCall& call, transport::Payload payload)
      : call_(call), reads_(payload == transport::Payload::request) {
    observe::Steps::Scope time(call_.steps, observe::Step::exchange);
    if (!reads_) call_.link.remote->begin_fence();
  }
  /// Whether a step is still to come; the same on all ranks.
  [[nodiscard]] bool left() const noexcept { return round_ < transport::behind_all_rounds; }

  /// Takes the next step when this rank may: then Collective. `aggregator`: null where this rank is none.
  template <class Aggregator>
  bool take(transport::Outbox& outbox, Aggregator* aggregator) {
    if (!left() || outbox.first_round_open() <= round_ ||
        (aggregator && aggregator->first_round_open() <= round_))
      return false;
    {
      observe::Steps::Scope time(call_.steps, observe::Step::wait);
      round_ = call_.ranks.agreement.least(outbox.first_round_left());
    }
    {
      observe::Steps::Scope time(call_.steps, observe::Step::exchange);
      if (reads_) {
        call_.link.remote->begin_fence();
        outbox.get_all();
      }
      call_.link.remote->end_fence(reads_ || !left());
    }
    outbox.fenced();
    if (aggregator) aggregator->fenced(round_);
    return true;
  }

 private:
  CollectiveCall& call_;
  bool reads_;
  /// of the next step
  std::int64_t round_ = 0;
};

}  // namespace collio::engine
