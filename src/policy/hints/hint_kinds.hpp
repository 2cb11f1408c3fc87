// Kinds of hints: how the value of a row of hints.def is read. Each kind has
//
//   Value                  the type of the row's member
//   read(text)             the value of a text; nothing: the text is not allowed
//   allowed()              what is allowed, for messages
//   shown(text)            how an allowed text is shown among the hints in force
//   why(text)              what more there is to say of a text that is not allowed
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/names.hpp"

namespace collio::policy {

/// One entry of cb_config_list: at most `limit` aggregators on `host` ("*": any other host).
struct HostLimit {
  std::string host;
  int limit = 1;
  bool operator==(const HostLimit&) const = default;
};

namespace kind {

/// A whole number from `low` to `high`. Nothing: the text is none.
[[nodiscard]] std::optional<std::int64_t> number(std::string_view text, std::int64_t low, std::int64_t high);

/// The words of a list, "a, b, c".
template <class T>
[[nodiscard]] std::string listed(std::span<const core::Name<T>> names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + std::string(name.word);
  return text;
}

template <class T>
struct Kind {
  using Value = T;
  [[nodiscard]] static std::string_view shown(std::string_view text) { return text; }
  [[nodiscard]] static std::string why(std::string_view) { return {}; }
};

template <class T>
struct Choice : Kind<T> {
  std::span<const core::Name<T>> names;

  template <std::size_t count>
  explicit constexpr Choice(const std::array<core::Name<T>, count>& all) : names(all) {}
  [[nodiscard]] std::optional<T> read(std::string_view text) const { return core::value_named(names, text); }
  [[nodiscard]] std::string allowed() const { return listed(names); }
};
template <class T, std::size_t count>
Choice(const std::array<core::Name<T>, count>&) -> Choice<T>;

/// ROMIO takes its words in capitals, too, and no other spelling.
template <class T>
struct RomioChoice : Choice<T> {
  using Choice<T>::Choice;
  [[nodiscard]] static std::string_view shown(std::string_view text) {
    if (text == "ENABLE") return "enable";
    if (text == "DISABLE") return "disable";
    return text == "AUTOMATIC" ? "automatic" : text;
  }
  [[nodiscard]] std::optional<T> read(std::string_view text) const { return Choice<T>::read(shown(text)); }
};
template <class T, std::size_t count>
RomioChoice(const std::array<core::Name<T>, count>&) -> RomioChoice<T>;

template <class T>
struct Range : Kind<T> {
  std::int64_t low, high;

  constexpr Range(std::int64_t least, std::int64_t most) : low(least), high(most) {}
  [[nodiscard]] std::optional<T> read(std::string_view text) const {
    const auto value = number(text, low, high);
    return value ? std::optional(static_cast<T>(*value)) : std::nullopt;
  }
  [[nodiscard]] std::string allowed() const { return std::to_string(low) + ".." + std::to_string(high); }
};
using Count = Range<int>;
using Bytes = Range<std::int64_t>;

/// Or "auto", whose value is 0. Other layers write 0 for it where `low` is 0.
template <class T>
struct AutoRange : Range<T> {
  using Range<T>::Range;
  [[nodiscard]] std::string_view shown(std::string_view text) const {
    return text == "0" && this->low == 0 ? "auto" : text;
  }
  [[nodiscard]] std::optional<T> read(std::string_view text) const {
    if (shown(text) == "auto") return T{0};
    const auto value = number(text, 1, this->high);
    return value && *value >= this->low ? std::optional(static_cast<T>(*value)) : std::nullopt;
  }
  [[nodiscard]] std::string allowed() const { return Range<T>::allowed() + ", auto"; }
};
using AutoCount = AutoRange<int>;
using AutoBytes = AutoRange<std::int64_t>;

/// For Lustre -1 is every server there is.
struct Servers : AutoCount {
  using AutoCount::AutoCount;
  [[nodiscard]] std::string_view shown(std::string_view text) const {
    return text == "-1" ? "auto" : AutoCount::shown(text);
  }
  [[nodiscard]] std::optional<int> read(std::string_view text) const { return AutoCount::read(shown(text)); }
  [[nodiscard]] std::string allowed() const { return "-1, " + AutoCount::allowed(); }
};

/// Or "disable" or "auto", whose value is 0: other hints say how many that is.
struct CountAutoOrDisable : Count {
  using Count::Count;
  [[nodiscard]] std::optional<int> read(std::string_view text) const {
    return text == "disable" || text == "auto" ? std::optional(0) : Count::read(text);
  }
  [[nodiscard]] std::string allowed() const { return Count::allowed() + ", auto, disable"; }
};

/// Paths with colons between them. "auto" is an empty list.
struct Folders : Kind<std::vector<std::string>> {
  std::string_view form;

  explicit constexpr Folders(std::string_view what_is_allowed) : form(what_is_allowed) {}
  [[nodiscard]] static std::optional<Value> read(std::string_view text);
  [[nodiscard]] std::string allowed() const { return std::string(form); }
};

/// cb_config_list. "auto", no limit, is an empty list.
struct Hosts : Kind<std::vector<HostLimit>> {
  std::string_view form;

  explicit constexpr Hosts(std::string_view what_is_allowed) : form(what_is_allowed) {}
  [[nodiscard]] static std::optional<Value> read(std::string_view text);
  [[nodiscard]] std::string allowed() const { return std::string(form); }
};

/// The text of rules, as policy/hints/faults takes it.
struct Faults : Kind<std::string> {
  std::string_view form;

  explicit constexpr Faults(std::string_view what_is_allowed) : form(what_is_allowed) {}
  [[nodiscard]] static std::optional<Value> read(std::string_view text);
  [[nodiscard]] static std::string why(std::string_view text);
  [[nodiscard]] std::string allowed() const { return std::string(form); }
};

}  // namespace kind

}  // namespace collio::policy
