// How an amount spreads over the parts of a range that grows: bytes over a file, time over the life of a
// file. 64 parts of one length, a power of two, which doubles until they reach the end: bounded, and nothing
// has to be known before.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace collio::observe {

class Buckets {
 public:
  static constexpr std::int64_t count = 64;
  using Values = std::array<std::int64_t, count>;

  /// `width`: of a part at first; a power of two.
  explicit Buckets(std::int64_t width) noexcept : width_(width) {}

  /// Each part gets what it has of [begin, end). O(parts it touches).
  void add(std::int64_t begin, std::int64_t end) noexcept {
    begin = std::max<std::int64_t>(begin, 0);
    if (begin >= end) return;
    reach(end);
    for (std::int64_t part = begin / width_; begin < end; ++part) {
      const std::int64_t amount = std::min(end - begin, width_ - begin % width_);  // no end of a part: 2^63
      put(part, amount);
      begin += amount;
    }
  }
  /// The part of `at`, which is within reach, gets `amount`.
  void add_to(std::int64_t at, std::int64_t amount) noexcept { put(at / width_, amount); }
  /// Parts reach to `end` from now on.
  void reach(std::int64_t end) noexcept {
    while ((end - 1) / width_ >= count) widen(2 * width_);
  }
  /// Parts have at least this length from now on; a power of two.
  void widen(std::int64_t width) noexcept {
    while (width_ < width) {
      for (std::size_t i = 0; i < count / 2; ++i) values_[i] = values_[2 * i] + values_[2 * i + 1];
      std::fill(values_.begin() + count / 2, values_.end(), 0);
      width_ *= 2;
    }
  }
  [[nodiscard]] std::int64_t width() const noexcept { return width_; }
  [[nodiscard]] const Values& values() const noexcept { return values_; }

 private:
  void put(std::int64_t part, std::int64_t amount) noexcept {
    values_[static_cast<std::size_t>(part)] += amount;
  }

  std::int64_t width_;
  Values values_{};
};

}  // namespace collio::observe
