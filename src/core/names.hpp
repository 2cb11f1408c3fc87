// Words for values, in both directions: the values of an enumeration as hints, reports and Python name them.
#pragma once

#include <optional>
#include <string_view>

namespace collio::core {

/// How much is promised of what a word stands for.
enum class Stability { stable, experimental };

/// One row of a list of words.
template <class T>
struct Name {
  using Value = T;
  std::string_view word;
  T value;
  Stability stability = Stability::stable;
};

/// The value that `word` stands for, if any. A value with several words is fine.
template <class Names>
[[nodiscard]] constexpr auto value_named(const Names& names, std::string_view word) noexcept {
  std::optional<typename Names::value_type::Value> found;
  for (const auto& name : names)
    if (name.word == word) found = name.value;
  return found;
}

/// The first word for `value`; "?": there is none.
template <class Names>
[[nodiscard]] constexpr std::string_view word_for(const Names& names,
                                                  const typename Names::value_type::Value& value) noexcept {
  for (const auto& name : names)
    if (name.value == value) return name.word;
  return "?";
}

}  // namespace collio::core
