// Which subfiles no more stripes should go to, from the times of a job's own writes.
//
// A file is written when the slowest of its targets is done: n targets with an equal part each write n times
// the rate of the slowest. Without the slow ones, fewer targets write at the rate of the slowest of these.
// (Son et al., 2016, section 3.1; policy/targets/choose_targets.hpp has the rule for probes.) A job's own
// writes were not made to measure anything: a target may have two at a time, another one. So the rule here is
// coarser: far slower than the median, or slower for some time, and leaving it out must save a fifth of the
// time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/index.hpp"

namespace collio::policy {

/// Looks at one period of a job's writes after the other. The same from the same numbers. Not thread-safe.
class SlowSubfiles {
 public:
  /// What is written to a subfile says how fast it is once it is so much, or took so long: shorter ones show
  /// what a server takes into its memory.
  static constexpr std::int64_t enough_bytes = 4 << 20, enough_ns = 200'000'000;
  /// A target with less than a quarter of the median rate is left out at once, one with less than 0.4
  /// of it when that was so for this many rates in a row.
  static constexpr int rates_of_doubt = 3;

  explicit SlowSubfiles(std::int64_t count);
  /// Those of `members` that go on getting stripes. `times`: of all subfiles the bytes written in this
  /// period, then the nanoseconds that took, added up over ranks. `members` again: all of them. O(members *
  /// log(members)).
  [[nodiscard]] std::vector<std::int64_t> review(std::span<const std::int64_t> times,
                                                 const std::vector<std::int64_t>& members);
  /// The same, of this period alone.
  [[nodiscard]] std::vector<std::int64_t> review_alone(std::span<const std::int64_t> times,
                                                       const std::vector<std::int64_t>& members);
  /// Bytes per second below which one of `members` is left out at once; 0: nothing is known.
  [[nodiscard]] double far_slower_rate(const std::vector<std::int64_t>& members) const;
  /// Of a subfile, bytes per second, as last known; 0: it is not.
  [[nodiscard]] double rate(std::int64_t subfile) const { return of(subfile).rate; }

 private:
  struct Seen {
    /// since the rate was known
    std::int64_t bytes = 0, ns = 0;
    double rate = 0;
    int slow_in_a_row = 0;
  };
  [[nodiscard]] const Seen& of(std::int64_t subfile) const { return seen_[core::at(subfile)]; }
  [[nodiscard]] double middle_rate(const std::vector<std::int64_t>& members) const;
  [[nodiscard]] double together(const std::vector<std::int64_t>& members) const;

  std::vector<Seen> seen_;
};

}  // namespace collio::policy
