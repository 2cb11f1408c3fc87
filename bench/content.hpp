// What the bytes of a benchmark's file are: a cheap function of the offset, never zero, so that a hole
// (zero), a lost piece and a piece at the wrong place all show. One multiplication for the first byte, one
// addition for each further one: compilers turn the loops into vector code.
#pragma once

#include <cstddef>
#include <cstdint>

namespace collio::bench {

inline constexpr std::uint32_t content_step = 0x9E3779B1u;
inline constexpr std::uint32_t content_high = 0x85EBCA77u;

/// What a buffer holds where no content was put: never content, as that is odd.
inline constexpr unsigned char blank_byte = 0xEE;

/// State of the content at byte `offset`; add content_step for each byte further.
[[nodiscard]] constexpr std::uint32_t content_state(std::int64_t offset) noexcept {
  const auto place = static_cast<std::uint64_t>(offset);
  return static_cast<std::uint32_t>(place) * content_step +
         static_cast<std::uint32_t>(place >> 32) * content_high;
}

[[nodiscard]] constexpr unsigned char content_byte(std::uint32_t state) noexcept {
  return static_cast<unsigned char>((state >> 24) | 1u);
}

/// Bytes from `offset` on that share the upper half of the offset, at most `size`: content_state is linear
/// over them.
[[nodiscard]] constexpr std::size_t linear_part(std::int64_t offset, std::size_t size) noexcept {
  const std::uint64_t left = (std::uint64_t{1} << 32) - (static_cast<std::uint64_t>(offset) & 0xFFFFFFFFu);
  return left < size ? static_cast<std::size_t>(left) : size;
}

/// Fill out[0, size) with the content of the file from `offset` on.
inline void fill_content(std::int64_t offset, unsigned char* out, std::size_t size) noexcept {
  while (size > 0) {
    const std::size_t part = linear_part(offset, size);
    const std::uint32_t state = content_state(offset);
    for (std::size_t i = 0; i < part; ++i)
      out[i] = content_byte(state + static_cast<std::uint32_t>(i) * content_step);
    out += part;
    size -= part;
    offset += static_cast<std::int64_t>(part);
  }
}

/// Number of bytes in data[0, size) that are not the content from `offset` on.
[[nodiscard]] inline std::size_t count_wrong(std::int64_t offset, const unsigned char* data,
                                             std::size_t size) noexcept {
  std::size_t wrong = 0;
  while (size > 0) {
    const std::size_t part = linear_part(offset, size);
    const std::uint32_t state = content_state(offset);
    unsigned differs =
        0;  // a whole part at once: the loop without a branch is vectorised, and right is the rule
    for (std::size_t i = 0; i < part; ++i)
      differs |=
          static_cast<unsigned>(data[i] ^ content_byte(state + static_cast<std::uint32_t>(i) * content_step));
    if (differs != 0)
      for (std::size_t i = 0; i < part; ++i)
        wrong += data[i] != content_byte(state + static_cast<std::uint32_t>(i) * content_step) ? 1 : 0;
    data += part;
    size -= part;
    offset += static_cast<std::int64_t>(part);
  }
  return wrong;
}

}  // namespace collio::bench
