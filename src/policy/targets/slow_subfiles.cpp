// See slow_subfiles.hpp.
#include "policy/targets/slow_subfiles.hpp"

#include <algorithm>
#include <limits>

#include "core/index.hpp"

namespace collio::policy {

namespace {

/// than the median
constexpr double slower = 0.4, far_slower = 0.25;
/// over the rate of all together
constexpr double least_gain = 1.25;

}  // namespace

SlowSubfiles::SlowSubfiles(std::int64_t count) : seen_(static_cast<std::size_t>(count)) {}

/// Of those whose rate is known; with an even number the faster of the two in the middle.
double SlowSubfiles::middle_rate(const std::vector<std::int64_t>& members) const {
  std::vector<double> known;
  for (const std::int64_t member : members)
    if (rate(member) > 0) known.push_back(rate(member));
  if (known.empty()) return 0;
  const auto middle = known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2);
  std::ranges::nth_element(known, middle);
  return *middle;
}

double SlowSubfiles::far_slower_rate(const std::vector<std::int64_t>& members) const {
  return far_slower * middle_rate(members);
}

/// Bytes per second that they write together, each an equal part.
double SlowSubfiles::together(const std::vector<std::int64_t>& members) const {
  double slowest = std::numeric_limits<double>::max();
  for (const std::int64_t member : members)
    if (rate(member) > 0) slowest = std::min(slowest, rate(member));
  return slowest * static_cast<double>(members.size());
}

std::vector<std::int64_t> SlowSubfiles::review_alone(std::span<const std::int64_t> times,
                                                     const std::vector<std::int64_t>& members) {
  for (Seen& seen : seen_) seen.bytes = seen.ns = 0;
  return review(times, members);
}

std::vector<std::int64_t> SlowSubfiles::review(std::span<const std::int64_t> times,
                                               const std::vector<std::int64_t>& members) {
  std::vector<std::int64_t> renewed;
  for (const std::int64_t member : members) {
    Seen& seen = seen_[core::at(member)];
    seen.bytes += times[core::at(member)];
    seen.ns += times[seen_.size() + static_cast<std::size_t>(member)];
    if (seen.ns == 0 || (seen.bytes < enough_bytes && seen.ns < enough_ns)) continue;
    seen.rate = 1e9 * static_cast<double>(seen.bytes) / static_cast<double>(seen.ns);
    seen.bytes = seen.ns = 0;
    renewed.push_back(member);
  }
  const double middle = middle_rate(members);
  std::vector<std::int64_t> kept = members;
  for (const std::int64_t member : renewed) {
    Seen& seen = seen_[core::at(member)];
    seen.slow_in_a_row = seen.rate < slower * middle ? seen.slow_in_a_row + 1 : 0;
    if (seen.rate < far_slower * middle || seen.slow_in_a_row >= rates_of_doubt) std::erase(kept, member);
  }
  return kept.size() < members.size() && together(kept) >= least_gain * together(members) ? kept : members;
}

}  // namespace collio::policy
