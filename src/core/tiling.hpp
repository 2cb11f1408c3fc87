// Do pieces from many ranks tile a window exactly? Without sorting them.
//
// With a 64-bit hash H, the sum over pieces of H(start) - H(end) telescopes to H(a) - H(b) when the
// pieces tile [a, b), in whatever order they come; otherwise it equals that only with odds of 2^-64.
// The sum of the lengths is compared as well.
#pragma once

#include <cstdint>

#include "core/extent.hpp"

namespace collio::core {

/// H: the two halves of one 128-bit product of two different functions of the offset, folded (the mixing
/// step of the wyhash family). Not linear, so shifted holes and overlaps do not cancel; one multiplication.
constexpr std::uint64_t tiling_hash(std::int64_t offset) noexcept {
  const auto x = static_cast<std::uint64_t>(offset);
  const auto product = static_cast<unsigned __int128>(x + 0xa0761d6478bd642fu) * (x ^ 0xe7037ed1a0b428dbu);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
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
