// See choose_targets.hpp.
#include "policy/targets/choose_targets.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/index.hpp"

namespace collio::policy {

namespace {

constexpr double errors_of_doubt = 2;  // a rate is beyond them by chance in one of twenty cases

/// How many of the sorted targets are kept: from the first highest A on while at most `most_loss` of it is
/// lost.
std::size_t count_kept(const std::vector<double>& together, double most_loss) {
  const auto peak = std::ranges::max_element(together);
  const double least = (1 - most_loss) * *peak;
  return static_cast<std::size_t>(
      std::find_if(peak, together.end(), [least](double a) { return a < least; }) - together.begin());
}

}  // namespace

std::string_view word_of(TargetVerdict verdict) noexcept {
  switch (verdict) {
    case TargetVerdict::chosen:
      return "chosen";
    case TargetVerdict::doubtful:
      return "doubtful";
    case TargetVerdict::slow:
      return "slow";
    case TargetVerdict::unusable:
      return "unusable";
  }
  return "?";
}

TargetChoice choose_targets(std::span<const TargetRate> targets, double most_loss) {
  const auto rate = [targets](int target) { return targets[core::at(target)].bytes_per_s; };
  TargetChoice choice;
  choice.verdicts.assign(targets.size(), TargetVerdict::unusable);
  for (int i = 0; i < static_cast<int>(targets.size()); ++i)
    if (std::isfinite(rate(i)) && rate(i) > 0) choice.order.push_back(i);
  if (choice.order.empty()) return choice;
  std::ranges::stable_sort(choice.order, [&](int a, int b) { return rate(a) > rate(b); });
  for (const int target : choice.order)
    choice.together.push_back(static_cast<double>(choice.together.size() + 1) * rate(target));

  const std::size_t kept = count_kept(choice.together, most_loss);
  const double least = (1 - most_loss) * *std::ranges::max_element(choice.together);
  double hoped =
      rate(choice.order[kept - 1]);  // rate of the slowest chosen target, if the doubtful ones are fast
  double slowest = hoped;
  for (std::size_t i = 0; i < choice.order.size(); ++i) {
    const int target = choice.order[i];
    TargetVerdict& verdict = choice.verdicts[core::at(target)];
    verdict = i < kept ? TargetVerdict::chosen : TargetVerdict::slow;
    if (i >= kept) {
      const double error = targets[core::at(target)].error_bytes_per_s;
      const double at_best = std::min(hoped, rate(target) + errors_of_doubt * error);
      if (static_cast<double>(choice.chosen.size() + 1) * at_best < least) continue;
      verdict = TargetVerdict::doubtful;
      hoped = at_best;
      slowest = rate(target);
    }
    choice.chosen.push_back(target);
  }
  std::ranges::sort(choice.chosen);
  choice.expected_bytes_per_s = static_cast<double>(choice.chosen.size()) * slowest;
  return choice;
}

}  // namespace collio::policy
