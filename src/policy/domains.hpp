// Which file bytes belong to which aggregator and round.
//
// The span of a call is cut into one contiguous file domain per aggregator (even cut, aligned), and each
// domain into windows of equal size, one per round.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/extent.hpp"

namespace collio::policy {

struct Domains {
  std::int64_t low = 0;            ///< first byte of domain 0, aligned down
  std::int64_t high = 0;           ///< end of the last domain
  std::int64_t domain_bytes = 1;   ///< length of every domain but the last
  std::int64_t window_bytes = 1;   ///< length of every window but a domain's last
  int count = 0;                   ///< domains in use

  [[nodiscard]] core::Extent domain(int a) const noexcept {
    const std::int64_t start = low + a * domain_bytes;
    return {start, std::min(domain_bytes, high - start)};
  }
  /// Bytes of domain `a` that are served in round `round`.
  [[nodiscard]] core::Extent window(int a, std::int64_t round) const noexcept {
    const core::Extent d = domain(a);
    const std::int64_t start = d.offset + round * window_bytes;
    return {start, std::min(window_bytes, d.end() - start)};
  }
  [[nodiscard]] int owner(std::int64_t offset) const noexcept {
    return static_cast<int>((offset - low) / domain_bytes);
  }
  [[nodiscard]] std::int64_t round_of(int a, std::int64_t offset) const noexcept {
    return (offset - (low + a * domain_bytes)) / window_bytes;
  }
  [[nodiscard]] std::int64_t rounds(int a) const noexcept {
    return (domain(a).length + window_bytes - 1) / window_bytes;
  }
};

/// What a cut must satisfy.
struct CutRequest {
  core::Extent span;               ///< bytes the call accesses
  int aggregators = 1;
  std::int64_t alignment_bytes = 4096;
  std::int64_t window_bytes = 16 << 20;
};

/// Even cut with domain boundaries at multiples of the alignment; windows of a domain are of equal size,
/// at most window_bytes, and aligned where the window is at least as long as the alignment.
[[nodiscard]] Domains cut_evenly(const CutRequest& request) noexcept;

}  // namespace collio::policy
