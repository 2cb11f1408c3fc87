// See epoch_groups.hpp.
#include "policy/plan/epoch_groups.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/index.hpp"

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

/// For each put, how many chains of overlapping hulls have a put up to this one and a put behind it: 0 where
/// a group may end.
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

std::vector<std::int64_t> group_puts(std::span<const PutHull> puts, const GroupLimits& limits) {
  const std::vector<int> tied = ties(puts);
  const auto all = static_cast<std::int64_t>(puts.size());
  std::vector<std::int64_t> ends;
  std::int64_t begin = 0, end = 0;   // of the group so far, which may end there
  std::int64_t bytes = 0, more = 0;  // of it, and of the puts behind it
  const auto close = [&] {
    ends.push_back(end);
    begin = end;
    bytes = 0;
  };
  for (std::int64_t i = 0; i < all; ++i) {
    more += puts[core::at(i)].bytes;
    if (tied[core::at(i)] > 0) continue;
    if (end > begin && i + 1 - begin > limits.most_puts) close();
    end = i + 1;
    bytes += std::exchange(more, 0);
    if (bytes >= limits.least_bytes) close();
  }
  const std::int64_t before = ends.size() > 1 ? ends[ends.size() - 2] : 0;
  if (!ends.empty() && (begin == all || all - before <= limits.most_puts))
    ends.back() = all;  // with what is less than a group
  else
    ends.push_back(all);
  return ends;
}

}  // namespace collio::policy
