// A 64-bit hash of bytes, to recognise content seen before (not for adversaries).
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace collio::core {

/// Folds one number into a hash: the high and low halves of a 128-bit product.
constexpr std::uint64_t hash_step(std::uint64_t hash, std::uint64_t value) noexcept {
  const auto product =
      static_cast<unsigned __int128>(hash ^ 0x9e3779b97f4a7c15u) * (value ^ 0xe7037ed1a0b428dbu);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64) ^ (hash << 1);
}

/// A number whose bits all depend on all of `value`'s (SplitMix64: Steele, Lea & Flood, OOPSLA 2014). Sums of
/// such numbers differ for what steps alone leave nearly linear.
constexpr std::uint64_t mixed(std::uint64_t value) noexcept {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

/// O(bytes / 16) multiplications, two chains at a time.
inline std::uint64_t content_hash(std::span<const std::uint8_t> bytes) noexcept {
  std::uint64_t a = bytes.size(), b = ~a, x = 0, y = 0;
  std::size_t i = 0;
  for (; i + 16 <= bytes.size(); i += 16) {
    std::memcpy(&x, bytes.data() + i, 8);
    std::memcpy(&y, bytes.data() + i + 8, 8);
    a = hash_step(a, x);
    b = hash_step(b, y);
  }
  for (; i < bytes.size(); ++i) a = hash_step(a, bytes[i]);
  return hash_step(a, b);
}

/// Of a text, the same in every process: ranks compare such numbers.
inline std::uint64_t text_hash(std::string_view text) noexcept {
  return mixed(content_hash({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
}

}  // namespace collio::core
