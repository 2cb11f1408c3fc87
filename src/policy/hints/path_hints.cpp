// See path_hints.hpp.
#include "policy/hints/path_hints.hpp"

#include <algorithm>
#include <optional>

#include "core/trimmed.hpp"

namespace collio::policy {

namespace {

using core::trimmed;

/// Length of the key that "key=value" begins with; 0: it begins with none.
std::size_t key_length(std::string_view text) {
  const auto is_key = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  const auto end = static_cast<std::size_t>(std::ranges::find_if_not(text, is_key) - text.begin());
  return end < text.size() && text[end] == '=' ? end : 0;
}

/// Where the next pair begins: after a comma that a key follows. The end: there is none.
std::size_t end_of_pair(std::string_view text) {
  std::size_t comma = text.find(',');
  while (comma != std::string_view::npos && key_length(trimmed(text.substr(comma + 1))) == 0)
    comma = text.find(',', comma + 1);
  return std::min(comma, text.size());
}

std::optional<PathHints> parse_rule(std::string_view text) {
  // Patterns and values may have colons: the one that ends the pattern is the last before the first value.
  const std::size_t colon = text.substr(0, text.find('=')).rfind(':');
  if (colon == std::string_view::npos) return {};
  PathHints rule{std::string(trimmed(text.substr(0, colon))), {}};
  for (std::string_view rest = trimmed(text.substr(colon + 1)); !rest.empty();) {
    const std::string_view pair = trimmed(rest.substr(0, end_of_pair(rest)));
    rest = trimmed(rest.substr(std::min(end_of_pair(rest) + 1, rest.size())));
    const std::size_t key = key_length(pair);
    if (key == 0 || key + 1 == pair.size()) return {};
    rule.hints[std::string(pair.substr(0, key))] = pair.substr(key + 1);
  }
  if (rule.pattern.empty() || rule.hints.empty()) return {};
  return rule;
}

}  // namespace

std::vector<PathHints> parse_path_hints(std::string_view text, std::vector<std::string>& warnings) {
  std::vector<PathHints> rules;
  while (!text.empty()) {
    const std::size_t semicolon = std::min(text.find(';'), text.size());
    const std::string_view entry = trimmed(text.substr(0, semicolon));
    text.remove_prefix(std::min(semicolon + 1, text.size()));
    if (entry.empty()) continue;
    if (auto rule = parse_rule(entry))
      rules.push_back(std::move(*rule));
    else
      warnings.push_back("COLLIO_SET_FOR: '" + std::string(entry) +
                         "' is not PATTERN: key=value, key=value; it is ignored");
  }
  return rules;
}

}  // namespace collio::policy
