// See domains.hpp.
#include "policy/domains/domains.hpp"

#include <numeric>

namespace collio::policy {

namespace {

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Stripes of a domain, at least `least`, whose multiples fall on as many targets as possible.
std::int64_t spread_stripes(std::int64_t least, std::int64_t targets) {
  std::int64_t best = least;
  for (std::int64_t n = least; n <= least + least / 4 && std::gcd(best, targets) > 1; ++n)
    if (std::gcd(n, targets) < std::gcd(best, targets)) best = n;
  return best;
}

/// Where the first domain begins.
std::int64_t aligned_low(const CutRequest& r) {
  return r.span.offset / r.alignment_bytes * r.alignment_bytes;
}

/// Stripes of each domain, if all are as short as they can be.
std::int64_t fewest_stripes(const CutRequest& r) {
  return divide_up(divide_up(r.span.end() - aligned_low(r), r.aggregators), r.alignment_bytes);
}

}  // namespace

int Domains::owner(std::int64_t offset) const noexcept {
  const std::int64_t distance = offset - low;
  if (bounds)
    return static_cast<int>(std::upper_bound(bounds->begin(), bounds->end() - 1, distance) -
                            bounds->begin()) -
           1;
  if (!dealt()) return static_cast<int>(distance / domain_bytes);
  const int group = group_of(distance);
  return group * members + static_cast<int>((distance - group * domain_bytes) / stripe_bytes % members);
}

core::Extent Domains::dealt_window(int a, std::int64_t round) const noexcept {
  const int group = a / members;
  const std::int64_t stripe = round / windows_per_stripe() * members + a % members;
  const std::int64_t in_stripe = round % windows_per_stripe() * window_bytes;
  const std::int64_t begin = low + group * domain_bytes + stripe * stripe_bytes + in_stripe;
  return {begin, std::min({window_bytes, stripe_bytes - in_stripe, end_of_group(group) - begin})};
}

std::int64_t Domains::dealt_round(int a, std::int64_t offset) const noexcept {
  const std::int64_t in_group = offset - low - a / members * domain_bytes;
  return in_group / stripe_bytes / members * windows_per_stripe() + in_group % stripe_bytes / window_bytes;
}

std::int64_t Domains::next(int a, std::int64_t offset) const noexcept {
  if (!dealt()) {
    const core::Extent d = domain(a);
    return d.length > 0 && offset < d.end() ? std::max(offset, d.offset) : high;
  }
  const int group = a / members;
  const std::int64_t begin = low + group * domain_bytes;
  if (offset < begin) return next(a, begin);
  const std::int64_t stripe = (offset - begin) / stripe_bytes,
                     ahead = (a % members - stripe % members + members) % members;
  const std::int64_t found = ahead == 0 ? offset : begin + (stripe + ahead) * stripe_bytes;
  return found < end_of_group(group) ? found : high;
}

std::int64_t Domains::end_of_run(std::int64_t offset) const noexcept {
  const int a = owner(offset);
  if (!dealt()) return domain(a).end();
  const std::int64_t begin = low + a / members * domain_bytes;
  return std::min(begin + ((offset - begin) / stripe_bytes + 1) * stripe_bytes, end_of_group(a / members));
}

std::int64_t Domains::rounds(int a) const noexcept {
  if (!dealt()) return divide_up(domain(a).length, window_bytes);
  const int group = a / members;
  const std::int64_t length = end_of_group(group) - low - group * domain_bytes;
  const std::int64_t cycle = members * stripe_bytes;
  const std::int64_t rest =
      length % cycle - a % members * stripe_bytes;  // of the last cycle, from its stripe on
  return length / cycle * windows_per_stripe() +
         divide_up(std::clamp<std::int64_t>(rest, 0, stripe_bytes), window_bytes);
}

std::int64_t Domains::most_rounds() const noexcept {
  if (!bounds) return count > 0 ? std::max(rounds(0), rounds(dealt() ? count - members : count - 1)) : 0;
  std::int64_t most = 0;
  for (int a = 0; a < count; ++a) most = std::max(most, rounds(a));
  return most;
}

std::uint64_t Domains::offset_bits() const noexcept {
  auto bits = static_cast<std::uint64_t>(low | domain_bytes | window_bytes | stripe_bytes);
  if (!bounds) return bits;
  for (std::size_t i = 0; i + 1 < bounds->size(); ++i) bits |= static_cast<std::uint64_t>((*bounds)[i]);
  return bits;
}

std::int64_t fitting_window(std::int64_t unit_bytes, std::int64_t most) noexcept {
  if (most >= unit_bytes) return most / unit_bytes * unit_bytes;
  constexpr std::int64_t page = 4096;
  if (most < page) return most;
  const std::int64_t part = divide_up(unit_bytes, divide_up(unit_bytes, most));
  return std::min(divide_up(part, page) * page, most / page * page);
}

std::int64_t added_stripes(const CutRequest& r) noexcept {
  if (r.aggregators == 1) return 0;  // no other domain begins anywhere
  const std::int64_t fewest = fewest_stripes(r);
  return spread_stripes(fewest, r.targets) - fewest;
}

Domains cut_evenly(const CutRequest& r) noexcept {
  Domains d;
  d.low = aligned_low(r);
  d.high = r.span.end();
  if (r.span.length == 0) return d;
  d.domain_bytes = (fewest_stripes(r) + added_stripes(r)) * r.alignment_bytes;
  d.count = static_cast<int>(divide_up(d.high - d.low, d.domain_bytes));
  const std::int64_t most = fitting_window(r.alignment_bytes, r.window_bytes);
  const std::int64_t even = divide_up(d.domain_bytes, divide_up(d.domain_bytes, most));
  d.window_bytes = std::min(most, divide_up(even, r.alignment_bytes) * r.alignment_bytes);
  return d;
}

}  // namespace collio::policy
