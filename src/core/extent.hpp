// The two shapes in which collio speaks of bytes in a file or in memory.
//
// An Extent is one contiguous piece. A Run is `count` pieces of equal length at equal distance,
// so that a strided access of any size is one value. Offsets and lengths are in bytes.
#pragma once

#include <cstdint>

namespace collio::core {

/// One contiguous piece: bytes [offset, offset + length).
struct Extent {
  std::int64_t offset = 0;
  std::int64_t length = 0;

  [[nodiscard]] constexpr std::int64_t end() const noexcept { return offset + length; }
  friend constexpr bool operator==(const Extent&, const Extent&) = default;
};

/// `count` pieces of `length` bytes, `stride` bytes from start to start.
struct Run {
  std::int64_t offset = 0;
  std::int64_t length = 0;
  std::int64_t stride = 0;
  std::int64_t count = 0;

  [[nodiscard]] constexpr std::int64_t bytes() const noexcept { return length * count; }
  /// End of the last piece.
  [[nodiscard]] constexpr std::int64_t end() const noexcept { return offset + (count - 1) * stride + length; }
  friend constexpr bool operator==(const Run&, const Run&) = default;
};

}  // namespace collio::core
