// Which subfiles no more stripes should go to, from the rates at which a job's own writes went.
//
// A file is written when the slowest of its targets is done: n targets with an equal part each write n times
// the rate of the slowest. Without the slow ones, fewer targets write at the rate of the slowest of these.
// (Son et al., 2016, section 3.1; policy/choose_targets.hpp has the rule for probes.) A job's own writes were
// not made to measure anything: they wait for each other, and others use the targets. So the rule here is
// coarser: a target counts as slow if it has less than half the rate of the middle one, and it is left out
// if that saves a fifth of the time at least.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace collio::policy {

/// Looks at one period of a job's writes after the other. The same from the same numbers. Not thread-safe.
class SlowSubfiles {
 public:
  /// A target with less than a quarter of the middle one's rate is left out at once, others after so many
  /// periods in a row.
  static constexpr int periods_of_doubt = 3;

  explicit SlowSubfiles(std::int64_t count);
  /// Those of `members` that go on getting stripes, by the rates in this period, of all subfiles, in bytes
  /// per second; 0: nothing was written there. `members` again: all of them. O(members * log(members)).
  [[nodiscard]] std::vector<std::int64_t> review(std::span<const std::int64_t> rates,
                                                 const std::vector<std::int64_t>& members);
  /// Of a subfile as last seen; 0: never.
  [[nodiscard]] std::int64_t rate(std::int64_t subfile) const {
    return rates_[static_cast<std::size_t>(subfile)];
  }

 private:
  [[nodiscard]] std::int64_t middle_rate(const std::vector<std::int64_t>& members) const;
  [[nodiscard]] bool is_slow(std::int64_t subfile, std::int64_t middle, bool seen);
  [[nodiscard]] double together(const std::vector<std::int64_t>& members) const;

  std::vector<std::int64_t> rates_;  ///< of each when it was last written to
  std::vector<int> slow_in_a_row_;
};

}  // namespace collio::policy
