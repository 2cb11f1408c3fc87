// Which file bytes belong to which aggregator and round.
//
// The span of a call is cut into file domains, one per aggregator: contiguous ones, of equal length or not,
// or stripes dealt in turn to the aggregators of a group (policy/domains/file_cuts says which and why). Every
// domain is cut into windows, one per round.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/extent.hpp"
#include "core/index.hpp"

namespace collio::policy {

struct Domains {
  /// first byte of domain 0, aligned down
  std::int64_t low = 0;
  /// end of the last domain
  std::int64_t high = 0;
  /// length of every domain but the last; of dealt stripes: of every group but the last
  std::int64_t domain_bytes = 1;
  /// most bytes of a window
  std::int64_t window_bytes = 1;
  /// domains in use
  int count = 0;
  /// of stripes that are dealt; 0: domains are contiguous
  std::int64_t stripe_bytes = 0;
  /// domains of a group, of dealt stripes
  int members = 1;
  /// of contiguous domains that differ: begins and last end, from low
  std::shared_ptr<const std::vector<std::int64_t>> bounds;

  [[nodiscard]] bool dealt() const noexcept { return stripe_bytes > 0; }
  /// Of contiguous domains.
  [[nodiscard]] core::Extent domain(int a) const noexcept {
    if (bounds) return {low + bound(a), bound(a + 1) - bound(a)};
    const std::int64_t start = low + a * domain_bytes;
    return {start, std::min(domain_bytes, high - start)};
  }
  /// Bytes of domain `a` that are served in round `round`; not positive: none.
  [[nodiscard]] core::Extent window(int a, std::int64_t round) const noexcept {
    if (dealt()) return dealt_window(a, round);
    const core::Extent d = domain(a);
    const std::int64_t start = d.offset + round * window_bytes;
    return {start, std::min(window_bytes, d.end() - start)};
  }
  /// Domain of a byte of the span. O(1), where domains differ O(log domains).
  [[nodiscard]] int owner(std::int64_t offset) const noexcept;
  [[nodiscard]] std::int64_t round_of(int a, std::int64_t offset) const noexcept {
    return dealt() ? dealt_round(a, offset) : (offset - domain(a).offset) / window_bytes;
  }
  /// The first byte at or after `offset`, which is not below `low`, that is domain `a`'s; at or beyond
  /// `high`: none.
  [[nodiscard]] std::int64_t next(int a, std::int64_t offset) const noexcept;
  /// End of the bytes from `offset` on that have one owner.
  [[nodiscard]] std::int64_t end_of_run(std::int64_t offset) const noexcept;
  [[nodiscard]] std::int64_t rounds(int a) const noexcept;
  /// Of the domain that has most.
  [[nodiscard]] std::int64_t most_rounds() const noexcept;
  /// Has a bit where the begin of a window or domain may have one, from the begin of the file.
  [[nodiscard]] std::uint64_t offset_bits() const noexcept;

 private:
  [[nodiscard]] std::int64_t bound(int a) const noexcept { return (*bounds)[core::at(a)]; }
  [[nodiscard]] core::Extent dealt_window(int a, std::int64_t round) const noexcept;
  [[nodiscard]] std::int64_t dealt_round(int a, std::int64_t offset) const noexcept;
  [[nodiscard]] std::int64_t windows_per_stripe() const noexcept {
    return (stripe_bytes + window_bytes - 1) / window_bytes;
  }
  [[nodiscard]] int groups() const noexcept { return count / members; }
  /// Of dealt stripes: from `low`.
  [[nodiscard]] int group_of(std::int64_t distance) const noexcept {
    return static_cast<int>(std::min<std::int64_t>(distance / domain_bytes, groups() - 1));
  }
  [[nodiscard]] std::int64_t end_of_group(int group) const noexcept {
    return group + 1 < groups() ? low + (group + 1) * domain_bytes : high;
  }
};

/// What a cut must satisfy.
struct CutRequest {
  /// bytes the call accesses
  core::Extent span;
  int aggregators = 1;
  std::int64_t alignment_bytes = 4096;
  std::int64_t window_bytes = 16 << 20;
  /// that the file's stripes are dealt to, where these are as long as the alignment
  int targets = 1;
};

/// The longest window of at most `most` bytes that ends where units end: whole units, or an even part of one.
/// Parts are whole pages where the unit and `most` are longer than a page.
[[nodiscard]] std::int64_t fitting_window(std::int64_t unit_bytes, std::int64_t most) noexcept;

/// Even cut with domain boundaries at multiples of the alignment; windows of a domain are of equal size,
/// at most window_bytes, and aligned where the window is at least as long as the alignment. Domains of four
/// stripes or more are up to a quarter longer if they then begin on more of the targets: aggregators, which
/// all begin at the same time, would follow each other from target to target.
[[nodiscard]] Domains cut_evenly(const CutRequest& request) noexcept;

/// Stripes by which that makes each domain longer.
[[nodiscard]] std::int64_t added_stripes(const CutRequest& request) noexcept;

}  // namespace collio::policy
