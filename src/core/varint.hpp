// Variable-length integers whose first byte tells the length.
//
// The number of trailing zero bits of the first byte, plus one, is the number of bytes; the value
// sits above that marker. Values below 2^7 take one byte, below 2^14 two, and so on; nine bytes hold
// any 64-bit value. Unlike LEB128 a value is decoded by one load, one count and two shifts.
// Readers may look at up to 8 bytes beyond the value: buffers end in `varint_slack` spare bytes.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace collio::core {

static_assert(std::endian::native == std::endian::little, "the encoding is little-endian");

inline constexpr int varint_slack = 16;
inline constexpr int varint_max_bytes = 9;

/// Writes `value` at `out`, which has room for 9 bytes. Returns the byte after it. Short and long values by
/// the same instructions: for lists where nobody can guess which comes next.
inline std::uint8_t* put_any_varint(std::uint8_t* out, std::uint64_t value) noexcept {
  const int bits = 64 - std::countl_zero(value | 1);
  const int bytes = (bits * 37 + 222) >> 8;  // (bits + 6) / 7 for 1..64
  if (bytes > 8) [[unlikely]] {
    *out = 0;
    std::memcpy(out + 1, &value, 8);
    return out + 9;
  }
  const std::uint64_t word = (value << bytes) | (std::uint64_t{1} << (bytes - 1));
  std::memcpy(out, &word, 8);
  return out + bytes;
}

/// The same, sooner where nearly all values are below 2^7.
inline std::uint8_t* put_varint(std::uint8_t* out, std::uint64_t value) noexcept {
  if (value >= 0x80) return put_any_varint(out, value);
  *out = static_cast<std::uint8_t>(value << 1 | 1);
  return out + 1;
}

/// Reads a value at `in` and moves `in` behind it.
inline std::uint64_t get_varint(const std::uint8_t*& in) noexcept {
  std::uint64_t word;
  std::memcpy(&word, in, 8);
  if (word & 1) {  // one byte, the most common case: the branch is cheaper than the arithmetic
    ++in;
    return (word & 0xff) >> 1;
  }
  if ((word & 0xff) == 0) [[unlikely]] {
    std::memcpy(&word, in + 1, 8);
    in += 9;
    return word;
  }
  const int bytes = std::countr_zero(word) + 1;
  in += bytes;
  return (word << (64 - 8 * bytes)) >> (64 - 7 * bytes);
}

/// Signed values near zero become small unsigned ones: 0, -1, 1, -2 -> 0, 1, 2, 3.
constexpr std::uint64_t zigzag(std::int64_t value) noexcept {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t value) noexcept {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

}  // namespace collio::core
