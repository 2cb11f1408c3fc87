// See epoch_groups.hpp.
#include "policy/epoch_groups.hpp"

#include <algorithm>
#include <numeric>

namespace collio::policy {

namespace {

/// Puts that write something, in the order of the file.
std::vector<std::size_t> by_place(std::span<const PutHull> puts) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < puts.size(); ++i)
    if (puts[i].begin < puts[i].end) order.push_back(i);
  std::ranges::sort(order, {}, [&](std::size_t i) { return puts[i].begin; });
  return order;
}

/// For each put, in how many chains of overlapping hulls both it and the next one are, or would have to be as they lie
/// between two puts of a chain.
std::vector<int> ties(std::span<const PutHull> puts) {
  std::vector<int> steps(puts.size() + 1, 0);
  std::size_t first = 0, last = 0;
  std::int64_t end = 0;
  const auto close = [&] { ++steps[first], --steps[last]; };
  bool any = false;
  for (const std::size_t i : by_place(puts)) {
    if (any && puts[i].begin >= end) close();
    if (!any || puts[i].begin >= end) first = last = i, end = puts[i].end;
    any = true;
    first = std::min(first, i), last = std::max(last, i), end = std::max(end, puts[i].end);
  }
  if (any) close();
  std::partial_sum(steps.begin(), steps.end(), steps.begin());
  return steps;
}

}  // namespace

std::vector<std::int64_t> group_puts(std::span<const PutHull> puts, std::int64_t least_bytes) {
  const std::vector<int> tied = ties(puts);
  std::vector<std::int64_t> ends;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < puts.size(); ++i) {
    bytes += puts[i].bytes;
    if (tied[i] > 0 || bytes < least_bytes) continue;
    ends.push_back(static_cast<std::int64_t>(i) + 1);
    bytes = 0;
  }
  if (const auto all = static_cast<std::int64_t>(puts.size()); ends.empty())
    ends.push_back(all);
  else
    ends.back() = all;  // what is left is less than a group
  return ends;
}

}  // namespace collio::policy
