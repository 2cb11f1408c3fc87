// Which path, and which kind of transfers, moves a pattern fastest, found out by all ranks while they repeat
// it.
//
// Unlike a schedule these are for all ranks together, and for a whole call. So a trial is a call of a pattern
// that comes again, and ranks decide from times they have in common: the longest of any rank, which comes
// with the agreement on the call's outcome and costs no message of its own. What trials may lose is a small
// part of the time spent on the pattern: a program with few calls tries nothing.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "policy/plan/plan.hpp"
#include "policy/trials/contest.hpp"

namespace collio::policy {

/// "two_phase", "two_phase with lock".
[[nodiscard]] std::string text_of(const Way& way);

/// A way that is open.
struct OpenWay {
  Way way;
  /// a call takes so much longer than by the first way, by the estimates
  double more_s = 0;
};

/// The way of `plan` first, then what else hints leave open. Pure.
[[nodiscard]] std::vector<OpenWay> choices_of(const Plan& plan, const Digest& digest,
                                              const machine::Machine& machine, const Hints& hints);

/// The same on all ranks if they pass the same times.
class CallTrials {
 public:
  /// At least one.
  explicit CallTrials(std::vector<OpenWay> choices);

  /// Of the next call.
  [[nodiscard]] std::size_t next() const noexcept {
    return phase_ == Phase::settled ? in_force() : contest_.candidate();
  }
  [[nodiscard]] std::size_t in_force() const noexcept { return contest_.in_force(); }
  [[nodiscard]] const Way& way(std::size_t index) const noexcept { return choices_[index].way; }
  [[nodiscard]] std::size_t ways() const noexcept { return choices_.size(); }
  /// A call went as next() says, and took `seconds` on the rank where it took longest.
  void over(double seconds) noexcept;
  /// The call cannot take the candidate that next() names.
  void refused() noexcept;
  /// It was tried, or refused, and will not be tried again unless the pace changes.
  [[nodiscard]] bool given_up(std::size_t way) const noexcept { return contest_.given_up(way); }

  [[nodiscard]] std::int64_t calls_tried() const noexcept { return calls_tried_; }
  /// What was tried, and the result; empty: nothing was tried.
  [[nodiscard]] std::string text() const;

 private:
  enum class Phase { settled, warming_up, on_trial };
  void begin_trial() noexcept;

  std::vector<OpenWay> choices_;
  Contest contest_;
  Phase phase_ = Phase::settled;
  /// Calls by the way in force since the last comparison. A trial is compared with their median: one that is
  /// not faster is below it in half of the cases, whatever the noise is like.
  std::array<double, 5> recent_s_{};
  std::size_t recent_ = 0;
  /// at most by a trial of the warm candidate
  double lost_s_ = 0;
  /// the candidate whose memory and connections are there
  std::size_t warm_ = 0;
  std::int64_t calls_ = 0, calls_tried_ = 0;
};

}  // namespace collio::policy
