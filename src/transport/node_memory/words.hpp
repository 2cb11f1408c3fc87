// What ranks agree on in one reduction, word by word.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>

#include "transport/node_memory/agreement.hpp"

namespace collio::transport {

/// The largest that a rank gives.
template <class T>
struct Most {
  static constexpr std::size_t numbers = 1;
  T value{};
  void put(std::int64_t* to) const { to[0] = static_cast<std::int64_t>(value); }
  void take(const std::int64_t* from) { value = static_cast<T>(from[0]); }
};

/// The smallest.
template <class T>
struct Least {
  static constexpr std::size_t numbers = 1;
  T value{};
  void put(std::int64_t* to) const { to[0] = ~static_cast<std::int64_t>(value); }
  void take(const std::int64_t* from) { value = static_cast<T>(~from[0]); }
};

/// Whether all give the same one. Afterwards `value` is the largest.
template <class T>
struct Same {
  static constexpr std::size_t numbers = 2;
  T value{}, least = value;
  [[nodiscard]] bool agreed() const { return value == least; }
  void put(std::int64_t* to) const {
    to[0] = static_cast<std::int64_t>(value);
    to[1] = ~to[0];
  }
  void take(const std::int64_t* from) {
    value = static_cast<T>(from[0]);
    least = static_cast<T>(~from[1]);
  }
};

/// The words as the numbers of Agreement::worst(), and back.
template <class... Words>
class Packed {
 public:
  explicit Packed(Words&... words) : words_(words...) {
    std::size_t at = 0;
    std::apply([&](auto&... word) { ((word.put(&numbers_[at]), at += word.numbers), ...); }, words_);
  }
  [[nodiscard]] std::span<std::int64_t> numbers() noexcept { return numbers_; }
  /// What all ranks gave.
  void unpack() {
    std::size_t at = 0;
    std::apply([&](auto&... word) { ((word.take(&numbers_[at]), at += word.numbers), ...); }, words_);
  }

 private:
  static constexpr std::size_t count = (0 + ... + Words::numbers);
  static_assert(count <= Agreement::most_numbers);
  std::array<std::int64_t, count> numbers_{};
  std::tuple<Words&...> words_;
};

/// Agreement::worst() with words in place of numbers. Collective.
template <class... Words>
[[nodiscard]] core::Error agree(const Agreement& agreement, const core::Error& mine, const std::string& what,
                                Words&... words) {
  Packed all(words...);
  core::Error error = agreement.worst(mine, what, all.numbers());
  all.unpack();
  return error;
}

}  // namespace collio::transport
