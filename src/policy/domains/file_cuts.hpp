// Ways to cut the span of a call into one file domain per aggregator, besides the even cut
// (policy/domains/domains).
//
// aligned: contiguous, each boundary at the nearest multiple of a lock's length; static-cyclic and
// group-cyclic: stripes dealt to aggregators, so that each meets few storage servers, or one (Liao &
// Choudhary, SC'08); balanced: contiguous, with as much data in each as in the others, for spans with holes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/extent.hpp"
#include "policy/domains/domains.hpp"
#include "policy/hints/choices.hpp"

namespace collio::policy {

/// Domain i is [bounds[i], bounds[i + 1]); it may be empty.
struct ContiguousDomains {
  std::vector<std::int64_t> bounds{0, 0};

  [[nodiscard]] int count() const noexcept { return static_cast<int>(bounds.size()) - 1; }
  [[nodiscard]] core::Extent domain(int a) const noexcept;
  /// Of a byte of the span. O(log domains).
  [[nodiscard]] int owner(std::int64_t offset) const noexcept;
};

/// The span is cut into contiguous groups of stripes; inside a group stripe s belongs to its member s mod
/// members. One group: static-cyclic. Groups begin at multiples of members * stripe_bytes, so that a member
/// meets the same stripes everywhere.
struct CyclicDomains {
  core::Extent span;
  std::int64_t stripe_bytes = 1;
  /// aggregators of a group
  int members = 1;
  int groups = 1;
  /// where the first group begins: at or below the span
  std::int64_t group_low = 0;
  /// the last group may be longer
  std::int64_t group_bytes = 1;

  [[nodiscard]] int count() const noexcept { return members * groups; }
  /// Of a byte of the span: group * members + (offset / stripe_bytes) mod members. O(1).
  [[nodiscard]] int owner(std::int64_t offset) const noexcept;
};

/// Adds the bytes of an extent inside the span to the domains that own them. `by_domain`: of all domains.
/// O(domains it touches).
void add_bytes(const ContiguousDomains& cut, const core::Extent& extent,
               std::span<std::int64_t> by_domain) noexcept;
void add_bytes(const CyclicDomains& cut, const core::Extent& extent,
               std::span<std::int64_t> by_domain) noexcept;

/// What is to be cut, and for how many. The span is not negative; aggregators and unit at least 1.
struct FileCutRequest {
  core::Extent span;
  int aggregators = 1;
  /// stripe, or lock or block
  std::int64_t unit_bytes = 4096;
};

/// Boundaries of the even cut, each moved to the nearest multiple of the unit (halfway up) inside the span.
/// O(aggregators).
[[nodiscard]] ContiguousDomains cut_aligned(const FileCutRequest& request);

[[nodiscard]] CyclicDomains cut_static_cyclic(const FileCutRequest& request) noexcept;

/// Groups of as many aggregators as the file has stripes across its servers, where there are that many; one
/// group otherwise. Aggregators that are no multiple of `stripe_count` leave a rest out, and so do those for
/// which the span has no stripes: count() says.
[[nodiscard]] CyclicDomains cut_group_cyclic(const FileCutRequest& request, int stripe_count) noexcept;

/// Data bytes by regions of the file of equal length, from `low` on.
struct Histogram {
  std::int64_t low = 0;
  std::int64_t region_bytes = 1;
  /// of each region
  std::vector<std::int64_t> bytes;
};

/// Boundary i where i / aggregators of the data lie below it, taking the data of a region as spread evenly
/// over it, and moved to the nearest multiple of the unit inside the span. No data: as cut_aligned. O(regions
/// + aggregators).
[[nodiscard]] ContiguousDomains cut_balanced(const FileCutRequest& request, const Histogram& histogram);

/// Domains with windows of at most `window_bytes`, multiples of the unit where one fits, and none across the
/// end of a stripe. `request`: of which they are a cut.
[[nodiscard]] Domains domains_of(const ContiguousDomains& cut, const FileCutRequest& request,
                                 std::int64_t window_bytes);
[[nodiscard]] Domains domains_of(const CyclicDomains& cut, const FileCutRequest& request,
                                 std::int64_t window_bytes);

/// A cut that needs no histogram: balanced domains are even until one is there. `servers`: over which the
/// file is striped; 0: not known.
[[nodiscard]] Domains cut_by(Cut cut, const CutRequest& request, int servers);

}  // namespace collio::policy
