// What calls of a path are expected to take: the estimate, corrected by what earlier calls of the file took.
//
// Estimates are orders of magnitude, and on one node they leave out the storage time that all paths share.
// Paths are still chosen by estimates and trials (call_trials.hpp): a path that was never taken has no
// correction to compare with.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <tuple>

#include "policy/plan/plan.hpp"

namespace collio::policy {

/// A call whose time is expected, or known: the same on all ranks.
struct TimedCall {
  Direction direction;
  Path path;
  /// of all ranks
  std::int64_t bytes;
  double estimate_s;
};

/// The same on all ranks if they pass the same calls and times.
class Forecasts {
 public:
  /// The estimate until three calls of the same direction, path and order of magnitude were timed; then times
  /// the median of taken to estimated in the last five. O(log kinds of calls).
  [[nodiscard]] double seconds(const TimedCall& call) const;
  /// A call took `seconds` on the rank where it took longest. The first of its kind makes memory and
  /// connections, and does not count.
  void took(const TimedCall& call, double seconds);

 private:
  using Kind = std::tuple<Direction, Path, int>;
  struct Ratios {
    std::array<double, 5> recent{};
    /// the first included
    std::int64_t calls = 0;
  };
  [[nodiscard]] static Kind kind_of(const TimedCall& call);
  std::map<Kind, Ratios> ratios_;
};

}  // namespace collio::policy
