// See file_cuts.hpp.
#include "policy/domains/file_cuts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/index.hpp"

namespace collio::policy {

namespace {

std::int64_t rounded_up_quotient(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The nearest multiple of the unit, inside the span and not below `least`.
std::int64_t aligned(const FileCutRequest& r, std::int64_t offset, std::int64_t least) {
  const std::int64_t down = offset / r.unit_bytes * r.unit_bytes;
  const std::int64_t nearest =
      offset - down < rounded_up_quotient(r.unit_bytes, 2) ? down : down + r.unit_bytes;
  return std::clamp(nearest, std::max(least, r.span.offset), r.span.end());
}

/// a * b / c without overflow of a * b, for b <= c.
std::int64_t share_of(std::int64_t a, std::int64_t b, std::int64_t c) { return a / c * b + a % c * b / c; }

/// Bytes of [0, end) in the stripes of one member.
std::int64_t member_bytes_below(const CyclicDomains& cut, int member, std::int64_t end) {
  const std::int64_t cycle = cut.members * cut.stripe_bytes;
  const std::int64_t rest = end % cycle - member * cut.stripe_bytes;
  return end / cycle * cut.stripe_bytes + std::clamp<std::int64_t>(rest, 0, cut.stripe_bytes);
}

core::Extent group_extent(const CyclicDomains& cut, int group) {
  const std::int64_t begin = std::max(cut.span.offset, cut.group_low + group * cut.group_bytes);
  const std::int64_t end = group + 1 == cut.groups
                               ? cut.span.end()
                               : std::min(cut.span.end(), cut.group_low + (group + 1) * cut.group_bytes);
  return {begin, std::max<std::int64_t>(0, end - begin)};
}

int group_of(const CyclicDomains& cut, std::int64_t offset) {
  return static_cast<int>(std::min<std::int64_t>((offset - cut.group_low) / cut.group_bytes, cut.groups - 1));
}

}  // namespace

core::Extent ContiguousDomains::domain(int a) const noexcept {
  const std::int64_t begin = bounds[core::at(a)];
  return {begin, bounds[core::at(a) + 1] - begin};
}

int ContiguousDomains::owner(std::int64_t offset) const noexcept {
  return static_cast<int>(std::upper_bound(bounds.begin(), bounds.end(), offset) - bounds.begin()) - 1;
}

int CyclicDomains::owner(std::int64_t offset) const noexcept {
  return group_of(*this, offset) * members + static_cast<int>(offset / stripe_bytes % members);
}

void add_bytes(const ContiguousDomains& cut, const core::Extent& extent,
               std::span<std::int64_t> by_domain) noexcept {
  if (extent.length == 0) return;
  for (int a = cut.owner(extent.offset); a < cut.count(); ++a) {
    const core::Extent domain = cut.domain(a);
    if (domain.offset >= extent.end()) return;
    by_domain[core::at(a)] += std::min(domain.end(), extent.end()) - std::max(domain.offset, extent.offset);
  }
}

void add_bytes(const CyclicDomains& cut, const core::Extent& extent,
               std::span<std::int64_t> by_domain) noexcept {
  if (extent.length == 0) return;
  for (int group = group_of(cut, extent.offset); group < cut.groups; ++group) {
    const core::Extent whole = group_extent(cut, group);
    const std::int64_t begin = std::max(whole.offset, extent.offset),
                       end = std::min(whole.end(), extent.end());
    if (whole.offset >= extent.end()) return;
    const std::int64_t first = begin / cut.stripe_bytes,
                       stripes =
                           std::min<std::int64_t>((end - 1) / cut.stripe_bytes - first + 1, cut.members);
    for (std::int64_t s = first; begin < end && s < first + stripes; ++s) {
      const int member = static_cast<int>(s % cut.members);
      const std::int64_t domain = std::int64_t{group} * cut.members + member;
      by_domain[core::at(domain)] +=
          member_bytes_below(cut, member, end) - member_bytes_below(cut, member, begin);
    }
  }
}

ContiguousDomains cut_aligned(const FileCutRequest& r) {
  ContiguousDomains cut{{r.span.offset}};
  for (int i = 1; i < r.aggregators; ++i)
    cut.bounds.push_back(
        aligned(r, r.span.offset + share_of(r.span.length, i, r.aggregators), cut.bounds.back()));
  cut.bounds.push_back(r.span.end());
  return cut;
}

CyclicDomains cut_static_cyclic(const FileCutRequest& r) noexcept {
  return {r.span, r.unit_bytes, r.aggregators, 1, 0, std::max<std::int64_t>(r.span.end(), 1)};
}

CyclicDomains cut_group_cyclic(const FileCutRequest& r, int stripe_count) noexcept {
  if (stripe_count < 1 || r.aggregators < 2 * stripe_count) {
    FileCutRequest one_group = r;
    if (stripe_count >= 1) one_group.aggregators = std::min(r.aggregators, stripe_count);
    return cut_static_cyclic(one_group);
  }
  const std::int64_t cycle = stripe_count * r.unit_bytes;
  const std::int64_t low = r.span.offset / cycle * cycle,
                     cycles = std::max<std::int64_t>(1, rounded_up_quotient(r.span.end() - low, cycle));
  const std::int64_t groups = std::min<std::int64_t>(r.aggregators / stripe_count, cycles);
  // Rounded up, so that no group but the last is longer; fewer groups may then do.
  const std::int64_t cycles_per_group = rounded_up_quotient(cycles, groups);
  return {r.span,       r.unit_bytes,
          stripe_count, static_cast<int>(rounded_up_quotient(cycles, cycles_per_group)),
          low,          cycles_per_group * cycle};
}

Domains domains_of(const ContiguousDomains& cut, const FileCutRequest& r, std::int64_t window_bytes) {
  Domains d;
  d.low = r.span.offset / r.unit_bytes * r.unit_bytes;
  d.high = r.span.end();
  d.count = cut.count();
  d.window_bytes = fitting_window(r.unit_bytes, window_bytes);
  std::vector<std::int64_t> bounds;
  for (const std::int64_t bound : cut.bounds) bounds.push_back(bound == r.span.offset ? 0 : bound - d.low);
  d.bounds = std::make_shared<const std::vector<std::int64_t>>(std::move(bounds));
  return d;
}

Domains domains_of(const CyclicDomains& cut, const FileCutRequest& r, std::int64_t window_bytes) {
  const std::int64_t cycle = cut.members * cut.stripe_bytes;
  Domains d;
  d.low = r.span.offset / cycle * cycle;
  d.high = r.span.end();
  d.count = cut.count();
  d.stripe_bytes = cut.stripe_bytes;
  d.members = cut.members;
  d.domain_bytes = cut.groups > 1 ? cut.group_bytes : rounded_up_quotient(d.high - d.low, cycle) * cycle;
  d.window_bytes = std::min(cut.stripe_bytes, fitting_window(r.unit_bytes, window_bytes));
  return d;
}

Domains cut_by(Cut cut, const CutRequest& r, int servers) {
  if (cut == Cut::even || cut == Cut::balanced || r.span.length == 0) return cut_evenly(r);
  const FileCutRequest request{r.span, r.aggregators, r.alignment_bytes};
  if (cut == Cut::aligned) return domains_of(cut_aligned(request), request, r.window_bytes);
  return domains_of(
      cut == Cut::static_cyclic ? cut_static_cyclic(request) : cut_group_cyclic(request, servers), request,
      r.window_bytes);
}

ContiguousDomains cut_balanced(const FileCutRequest& r, const Histogram& histogram) {
  const std::int64_t all = std::accumulate(histogram.bytes.begin(), histogram.bytes.end(), std::int64_t{0});
  if (all == 0) return cut_aligned(r);
  ContiguousDomains cut{{r.span.offset}};
  std::int64_t below = 0;  // data before the region
  std::size_t region = 0;
  for (int i = 1; i < r.aggregators; ++i) {
    const std::int64_t wanted = share_of(all, i, r.aggregators);
    while (below + histogram.bytes[region] < wanted) below += histogram.bytes[region++];
    const std::int64_t bytes = histogram.bytes[region];
    const double part = bytes == 0 ? 0 : static_cast<double>(wanted - below) / static_cast<double>(bytes);
    const std::int64_t inside = std::llround(part * static_cast<double>(histogram.region_bytes));
    cut.bounds.push_back(
        aligned(r, histogram.low + static_cast<std::int64_t>(region) * histogram.region_bytes + inside,
                cut.bounds.back()));
  }
  cut.bounds.push_back(r.span.end());
  return cut;
}

}  // namespace collio::policy
