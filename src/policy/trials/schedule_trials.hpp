// Which schedule moves a pattern's rounds fastest, found out by an aggregator while it runs them.
//
// A schedule is an aggregator's own business: what it receives ahead and when it writes needs nobody's
// consent. So each aggregator tries for itself, between rounds, and no message or agreement is spent on it. A
// trial is two stints of a few rounds in a row, one under the schedule in force, one under a candidate; every
// stint begins and ends with all buffers free, so both pay the same. A candidate that is clearly faster more
// often than by chance takes over. What trials may lose is a small part of the time spent so far: a short
// call tries nothing, a long one or one often repeated does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "policy/plan/overlap.hpp"
#include "policy/trials/contest.hpp"

namespace collio::policy {

class ScheduleTrials {
 public:
  /// `first` is in force until something faster is found. Times are seconds of one clock.
  explicit ScheduleTrials(const Overlap& first);

  [[nodiscard]] const Overlap& now() const noexcept { return candidates_[in_force()]; }
  /// A call's rounds begin, and are all over.
  void begin(double now_s) noexcept { since_s_ = now_s; }
  void end(double now_s) noexcept { take_time(now_s); }
  /// No window is opened after those that are open until all are over.
  [[nodiscard]] bool resting() const noexcept { return resting_; }
  void opened() noexcept;
  /// A window of `bytes` bytes is over.
  void over(std::int64_t bytes, double now_s) noexcept;
  /// All windows are over: what rested goes on.
  void idle(double now_s);

  [[nodiscard]] std::int64_t rounds_tried() const noexcept { return rounds_tried_; }
  /// What was tried, and the result; empty: nothing was tried.
  [[nodiscard]] std::string text() const;

 private:
  enum class Phase { settled, for_comparison, on_trial };

  [[nodiscard]] std::size_t in_force() const noexcept {
    return phase_ == Phase::on_trial ? contest_.candidate() : contest_.in_force();
  }
  [[nodiscard]] bool may_try() const noexcept;
  void take_time(double now_s) noexcept;
  void next_phase() noexcept;

  std::vector<Overlap> candidates_;
  std::int64_t stint_rounds_;
  Contest contest_;
  Phase phase_ = Phase::settled;
  bool resting_ = false;
  /// rounds of the stint
  std::int64_t opened_ = 0;
  /// rounds in a row under one schedule
  Pace stint_, comparison_;
  double since_s_ = 0;
  std::int64_t rounds_ = 0, rounds_tried_ = 0;
};

}  // namespace collio::policy
