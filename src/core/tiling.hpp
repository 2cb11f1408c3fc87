// Do pieces from many ranks tile a window exactly? Without sorting them.
//
// With a 64-bit hash H, the sum over pieces of H(start) - H(end) telescopes to H(a) - H(b) when the
// pieces tile [a, b), in whatever order they come; otherwise it equals that only with odds of 2^-64.
// The sum of the lengths is compared as well.
#pragma once

#include <cstdint>

#include "core/extent.hpp"

namespace collio::core {

/// H. A finaliser with two multiplications: every input bit reaches every output bit.
constexpr std::uint64_t tiling_hash(std::int64_t offset) noexcept {
  std::uint64_t h = static_cast<std::uint64_t>(offset) + 0x9e3779b97f4a7c15u;
  h *= 0xd6e8feb86659fd93u;
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93u;
  h ^= h >> 29;
  return h;
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
