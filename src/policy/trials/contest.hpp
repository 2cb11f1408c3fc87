// Which of several ways to do the same thing is fastest, found out by trying them in turn, for a small part
// of the time.
//
// One way is in force. A candidate is compared with it until it wins more often than chance explains, and
// takes over, or falls behind, and is left. When all have been tried the pace alone is watched, and they are
// tried again when that has shifted. What has been taken over from is compared again at growing intervals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "policy/trials/sign_test.hpp"

namespace collio::policy {

/// What was done in which time.
struct Pace {
  /// how often
  std::int64_t times = 0;
  /// bytes, or calls
  double amount = 0;
  double seconds = 0;
  void add(double more_amount, double more_s) noexcept {
    ++times;
    amount += more_amount;
    seconds += more_s;
  }
  [[nodiscard]] double per_amount() const noexcept { return amount > 0 ? seconds / amount : 0; }
};

class Contest {
 public:
  /// of the time, by trials
  static constexpr double most_lost = 0.02;
  /// of the time of the way in force, or less: a candidate is faster
  static constexpr double clearly = 0.95;
  /// times slower or faster than before: look again
  static constexpr double shifted = 1.25;
  /// times as long, or more: counts for more than one loss
  static constexpr double hopeless = 1.5;
  /// more losses than wins: the candidate is left
  static constexpr int most_behind = 4;
  /// probability that anything that is not faster ever takes over
  static constexpr double most_wrong = 0.01;

  /// Way 0 is in force until something faster is found. A look at the usual pace comes every `looked_after`
  /// times.
  Contest(std::size_t ways, std::int64_t looked_after) noexcept : ways_(ways), looked_after_(looked_after) {}

  [[nodiscard]] std::size_t in_force() const noexcept { return in_force_; }
  /// The one to try next, where there is one.
  [[nodiscard]] std::size_t candidate() const noexcept { return candidate_; }
  [[nodiscard]] bool has_candidate() const noexcept { return candidate_ < ways_; }
  /// Of the way in force, since the last look.
  [[nodiscard]] const Pace& usual() const noexcept { return usual_; }

  /// Time that passed, on trials too.
  void spend(double seconds) noexcept { spent_s_ += seconds; }
  /// The way in force did this. `seconds`: without those passed to add_usual_time().
  void settled(double amount, double seconds) noexcept;
  void add_usual_time(double seconds) noexcept { usual_.seconds += seconds; }
  /// Whether a trial may be begun that might lose `seconds`.
  [[nodiscard]] bool may_lose(double seconds) const noexcept {
    return has_candidate() && lost_s_ + seconds <= most_lost * spent_s_;
  }
  /// A trial took this; what it took more than usual is lost.
  void lose(const Pace& trial) noexcept;
  /// The candidate took `times_as_long` times the time of the way in force, in the same moments. Comparisons
  /// are independent of each other.
  void judge(double times_as_long) noexcept;
  /// The candidate is not available here.
  void drop() noexcept;
  /// It was tried, and will not be tried again unless the pace changes.
  [[nodiscard]] bool given_up(std::size_t way) const noexcept {
    return way != in_force_ && !(has_candidate() && way == candidate_) && (reviewing_ || way < candidate_);
  }
  /// What was tried so often, of how many.
  struct Count {
    /// "calls"
    std::string_view what;
    std::int64_t tried = 0, all = 0;
  };
  /// For the report: what is in force, and what trials cost; empty: nothing was tried. The names are of way 0
  /// and of the one in force.
  [[nodiscard]] std::string text(const std::string& first, const std::string& in_force,
                                 const Count& count) const;

 private:
  std::size_t ways_;
  std::int64_t looked_after_;
  std::size_t in_force_ = 0, candidate_ = 1;
  /// of the candidate
  SignTest test_;
  /// losses, less wins
  int behind_ = 0;
  /// begun: number k may be wrong in most_wrong / (k (k + 1)) of cases, all together in most_wrong
  std::int64_t tests_ = 1;
  /// the candidate was in force before
  bool reviewing_ = false;
  bool taken_over_ = false;
  /// the way that was taken over from
  std::size_t before_ = 0;
  std::int64_t looks_ = 0, review_after_ = 4;
  Pace usual_;
  /// seconds by amount when all had been tried; 0: not yet
  double usual_before_ = 0;
  double spent_s_ = 0, lost_s_ = 0;
};

}  // namespace collio::policy
