// See hint_kinds.hpp.
#include "policy/hints/hint_kinds.hpp"

#include <algorithm>
#include <charconv>

#include "policy/hints/faults.hpp"

namespace collio::policy::kind {

namespace {

constexpr int any_number = 1000000;

/// "HOST", "HOST:COUNT", "HOST:*".
std::optional<HostLimit> host_limit(std::string_view entry) {
  const auto colon = std::min(entry.rfind(':'), entry.size());
  HostLimit limit{std::string(entry.substr(0, colon)), 1};
  if (limit.host.empty()) return {};
  if (colon == entry.size()) return limit;
  const std::string_view count = entry.substr(colon + 1);
  const auto value = count == "*" ? std::optional<std::int64_t>(any_number) : number(count, 0, any_number);
  if (!value) return {};
  limit.limit = static_cast<int>(*value);
  return limit;
}

}  // namespace

std::optional<std::int64_t> number(std::string_view text, std::int64_t low, std::int64_t high) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < low || value > high) return {};
  return value;
}

std::optional<std::vector<HostLimit>> Hosts::read(std::string_view text) {
  if (text == "auto") return Value{};
  Value limits;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    auto limit = host_limit(text.substr(0, comma));
    if (!limit) return {};
    limits.push_back(*std::move(limit));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return limits.empty() ? std::nullopt : std::optional(std::move(limits));
}

std::optional<std::vector<std::string>> Folders::read(std::string_view text) {
  Value folders;
  if (text == "auto") return folders;
  for (;;) {
    const auto colon = std::min(text.find(':'), text.size());
    if (colon == 0) return {};
    folders.emplace_back(text.substr(0, colon));
    if (colon == text.size()) return folders;
    text.remove_prefix(colon + 1);
  }
}

std::optional<std::string> Faults::read(std::string_view text) {
  return parse_faults(text).ok() ? std::optional<std::string>(text) : std::nullopt;
}

std::string Faults::why(std::string_view text) { return ": " + parse_faults(text).error().message; }

}  // namespace collio::policy::kind
