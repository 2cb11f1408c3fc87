// Chooses the storage targets that a file is spread over, from the rates at which each was seen to write.
//
// A file with an equal part on each of i targets is written when the slowest of them is done. Let the rates
// be sorted, B_1 >= B_2 >= ...; then the first i targets write A_i = i * B_i together. A rises while a
// further target adds more than it holds the others up, then it falls. Son, Sehrish, Liao, Oldfield,
// Choudhary, "Reducing I/O variability using dynamic I/O path characterization in petascale storage systems",
// 2016, section 3.1 and Algorithm 1: keep adding targets until the slope of A falls below a threshold. Two
// things differ here. The search begins at the highest A, so that one very fast target does not hide many
// others; and the losses of all steps behind it count together, so that many small ones do not add up.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace collio::policy {

/// Part of the highest A that may be lost for having more targets. The paper names no number. Its example
/// (100, 110, 120, 90, 70) loses 2.8 % with the fifth target and leaves it out; its 156 targets have a flat
/// top, along which it goes on from the 128th to the 144th.
inline constexpr double most_loss_default = 0.02;

/// How fast a target writes.
struct TargetRate {
  /// 0 or less, or not finite: the target cannot be used
  double bytes_per_s = 0;
  /// standard error of that
  double error_bytes_per_s = 0;
};

enum class TargetVerdict {
  chosen,
  /// chosen: looks slow, but its rate scatters so much that it need not be
  doubtful,
  slow,
  unusable,
};
[[nodiscard]] std::string_view word_of(TargetVerdict verdict) noexcept;

struct TargetChoice {
  /// usable targets, fastest first; equal ones by index
  std::vector<int> order;
  /// A_1, A_2, ... in that order, bytes per second
  std::vector<double> together;
  /// of every target
  std::vector<TargetVerdict> verdicts;
  /// ascending indices; empty: no target is usable
  std::vector<int> chosen;
  /// of the chosen ones, at their measured rates
  double expected_bytes_per_s = 0;
};

/// Pure; the same from the same numbers. `most_loss`: from 0 up to less than 1. A target slower than the kept
/// ones is kept as well where two standard errors more would make it fast enough. O(targets * log(targets)).
[[nodiscard]] TargetChoice choose_targets(std::span<const TargetRate> targets,
                                          double most_loss = most_loss_default);

}  // namespace collio::policy
