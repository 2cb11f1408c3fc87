// See slow_subfiles.hpp.
#include "policy/slow_subfiles.hpp"

#include <algorithm>
#include <limits>

namespace collio::policy {

namespace {

constexpr std::int64_t slower = 2, far_slower = 4;  ///< than the middle one, times
constexpr double least_gain = 1.25;                 ///< over the rate of all together

}  // namespace

SlowSubfiles::SlowSubfiles(std::int64_t count)
    : rates_(static_cast<std::size_t>(count), 0), slow_in_a_row_(static_cast<std::size_t>(count), 0) {}

/// Of those that were written to; with an even number the faster of the two in the middle.
std::int64_t SlowSubfiles::middle_rate(const std::vector<std::int64_t>& members) const {
  std::vector<std::int64_t> known;
  for (const std::int64_t member : members)
    if (rate(member) > 0) known.push_back(rate(member));
  if (known.empty()) return 0;
  const auto middle = known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2);
  std::ranges::nth_element(known, middle);
  return *middle;
}

bool SlowSubfiles::is_slow(std::int64_t subfile, std::int64_t middle, bool seen) {
  int& row = slow_in_a_row_[static_cast<std::size_t>(subfile)];
  if (!seen) return false;
  const std::int64_t own = rate(subfile);
  row = own * slower < middle ? row + 1 : 0;
  return own * far_slower < middle || row >= periods_of_doubt;
}

/// Bytes per second that they write together, each an equal part.
double SlowSubfiles::together(const std::vector<std::int64_t>& members) const {
  std::int64_t slowest = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t member : members)
    if (rate(member) > 0) slowest = std::min(slowest, rate(member));
  return static_cast<double>(slowest) * static_cast<double>(members.size());
}

std::vector<std::int64_t> SlowSubfiles::review(std::span<const std::int64_t> rates,
                                               const std::vector<std::int64_t>& members) {
  for (const std::int64_t member : members)
    if (const std::int64_t now = rates[static_cast<std::size_t>(member)]; now > 0)
      rates_[static_cast<std::size_t>(member)] = now;
  const std::int64_t middle = middle_rate(members);
  std::vector<std::int64_t> kept;
  for (const std::int64_t member : members)
    if (!is_slow(member, middle, rates[static_cast<std::size_t>(member)] > 0)) kept.push_back(member);
  const bool gains = kept.size() < members.size() && together(kept) >= least_gain * together(members);
  return gains ? kept : members;
}

}  // namespace collio::policy
