// Do pieces from many ranks tile a window exactly? Without sorting them.
//
// With a 64-bit hash H, the sum over pieces of H(start) - H(end) telescopes to H(a) - H(b) when the
// pieces tile [a, b), in whatever order they come; otherwise it equals that only with odds of 2^-64.
// The sum of the lengths is compared as well.
#pragma once

#include <cstdint>

#include "core/extent.hpp"

namespace collio::core {

/// H: a bijection of 64-bit numbers whose every output bit depends on every input bit (the finaliser of the
/// MurmurHash3 family). Not linear, so shifted holes and overlaps do not cancel; and only shifts and 64-bit
/// products, so that vector units do eight at a time.
constexpr std::uint64_t tiling_hash(std::int64_t offset) noexcept {
  auto x = static_cast<std::uint64_t>(offset);
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdu;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53u;
  return x ^ (x >> 33);
}

/// What a rank, or a message, contributes to the check. Sums add.
struct TilingSum {
  std::uint64_t hash = 0;
  std::int64_t bytes = 0;

  constexpr void add(const Extent& piece) noexcept {
    hash += tiling_hash(piece.offset) - tiling_hash(piece.end());
    bytes += piece.length;
  }
  constexpr void add(const Run& run) noexcept {
    std::int64_t start = run.offset;
    for (std::int64_t i = 0; i < run.count; ++i, start += run.stride)
      hash += tiling_hash(start) - tiling_hash(start + run.length);
    bytes += run.bytes();
  }
  constexpr void add(const TilingSum& other) noexcept {
    hash += other.hash;
    bytes += other.bytes;
  }
  /// True when the pieces added tile `window` exactly (odds of a wrong yes: 2^-64).
  [[nodiscard]] constexpr bool tiles(const Extent& window) const noexcept {
    return bytes == window.length && hash == tiling_hash(window.offset) - tiling_hash(window.end());
  }
};

}  // namespace collio::core
