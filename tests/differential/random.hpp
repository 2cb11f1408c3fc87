// A small reproducible random source: the same numbers on every rank, machine and standard library
// (std::uniform_int_distribution promises none of that). Method: splitmix64 (Steele et al. 2014).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace collio::differential {

/// One splitmix64 step: mixes `x` into 64 well spread bits. Pure.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
  return mix(mix(a) ^ (b * 0xd6e8feb86659fd93ULL));
}

class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) noexcept : state_(seed) {}

  constexpr std::uint64_t next() noexcept {
    state_ += 0x9e3779b97f4a7c15ULL;
    return mix(state_);
  }

  /// Uniform in [low, high], both included; `low` when the range is empty.
  constexpr std::int64_t between(std::int64_t low, std::int64_t high) noexcept {
    if (high <= low) return low;
    return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
  }

  constexpr int small(int low, int high) noexcept { return static_cast<int>(between(low, high)); }

  /// True in `percent` of 100 draws.
  constexpr bool chance(int percent) noexcept { return between(0, 99) < percent; }

  template <class T>
  const T& pick(const std::vector<T>& from) noexcept {
    return from[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(from.size()) - 1))];
  }

  template <class T>
  void shuffle(std::vector<T>& items) noexcept {
    for (std::size_t i = items.size(); i > 1; --i)
      std::swap(items[i - 1], items[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(i) - 1))]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace collio::differential
