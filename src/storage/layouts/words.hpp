// Layouts written as "key=value key=value", as CephFS and the lab's striped file system have them.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace collio::storage {

/// The value of a key; nothing: there is no such key.
[[nodiscard]] inline std::optional<std::string_view> word_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find_first_of(" \n"));
    text.remove_prefix(word.size() < text.size() ? word.size() + 1 : word.size());
    const std::size_t equals = word.find('=');
    if (equals != std::string_view::npos && word.substr(0, equals) == key) return word.substr(equals + 1);
  }
  return std::nullopt;
}

/// A whole number and nothing else; nothing: the text is none, or out of range.
[[nodiscard]] inline std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

[[nodiscard]] inline std::optional<std::int64_t> number_of(std::string_view text, std::string_view key) {
  const auto word = word_of(text, key);
  return word ? whole_number(*word) : std::nullopt;
}

}  // namespace collio::storage
