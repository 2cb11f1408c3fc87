// When a record that grows is written anew, so that a killed job leaves a recent one, at a bounded cost.
//
// It is written at the first event, at every doubling of their number, and at events after pauses that grow
// with its age: for n events in t seconds that is at most log2(n) + log1.5(t) + 2 times.
#pragma once

#include <algorithm>
#include <cstdint>

namespace collio::observe {

class Renewal {
 public:
  /// Whether to write now, after `events` events in all. The answer yes counts as written.
  [[nodiscard]] bool due(std::int64_t events, double now_s) noexcept {
    if (first_s_ == 0) first_s_ = now_s;
    if (events < next_events_ && now_s < next_s_) return false;
    while (next_events_ <= events) next_events_ *= 2;
    next_s_ = now_s + std::max(shortest_s, 0.5 * (now_s - first_s_));
    return true;
  }

 private:
  static constexpr double shortest_s = 1;
  std::int64_t next_events_ = 1;
  double first_s_ = 0, next_s_ = 0;
};

}  // namespace collio::observe
