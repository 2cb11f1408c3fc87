// See hints.hpp. To add a hint: a row in hints.def.
#include "policy/hints/hints.hpp"

#include <algorithm>

namespace collio::policy {

namespace {

constexpr std::int64_t most_buffer_bytes = 1 << 30;

/// Sets `out` to the value of a text. False: there is none.
template <class Kind>
bool set(const Kind& kind, std::string_view text, typename Kind::Value& out) {
  auto value = kind.read(text);
  if (!value) return false;
  out = *std::move(value);
  return true;
}

std::vector<HintRow> make_table() {
  return {
#define COLLIO_HINT(key, member, type, by_default, owner, group, meaning)           \
  {#key,                                                                            \
   by_default,                                                                      \
   meaning,                                                                         \
   kind::type.allowed(),                                                            \
   [](std::string_view text, Hints& h) { return set(kind::type, text, h.member); }, \
   [](std::string_view text) { return kind::type.shown(text); },                    \
   [](std::string_view text) { return kind::type.why(text); }},
#include "policy/hints/hints.def"
  };
}

/// Takes one pair, or warns.
void take(const std::string& key, const std::string& value, Hints& h) {
  const HintRow* row = find_hint(key);
  if (!row) {
    if (key.starts_with("collio_"))
      h.warnings.push_back("hint " + key + " is unknown; `collio info --all` lists all");
  } else if (row->set(value, h)) {
    h.in_force[key] = row->shown(value);
  } else {
    h.refused.push_back(key);
    h.warnings.push_back("hint " + key + ": '" + value + "' is not allowed (allowed: " + row->allowed +
                         "); " + h.in_force[key] + " stays in force" + row->why(value));
  }
}

/// collio's own names win over ROMIO's, unless they leave the choice open.
void prefer_own_names(Hints& h) {
  const bool may_be_own = h.path == Path::automatic || h.path == Path::independent;
  h.own_writes = may_be_own && h.write_path == Path::independent;
  h.own_reads = may_be_own && h.read_path == Path::independent;
  if (h.path != Path::automatic) h.write_path = h.read_path = h.path;
  if (h.holes != Holes::automatic) h.write_holes = h.read_holes = h.holes;
}

void limit_buffer(Hints& h) {
  if (h.buffer_bytes > most_buffer_bytes) {
    h.warnings.push_back("hint cb_buffer_size: " + std::to_string(h.buffer_bytes) +
                         " bytes are more than collio's buffers may have; " +
                         std::to_string(most_buffer_bytes) + " is in force");
    h.buffer_bytes = most_buffer_bytes;
    h.in_force["cb_buffer_size"] = std::to_string(h.buffer_bytes);
  }
  // A window, messages on both ways and the old content of a window with holes: an eighth each; as much again
  // for messages that are longer than they should be, and for buffers that wait for their next use.
  if (h.memory_limit_bytes > 0 && h.buffer_bytes > h.memory_limit_bytes / 8) {
    h.buffer_bytes = h.memory_limit_bytes / 8;
    h.in_force["cb_buffer_size"] = std::to_string(h.buffer_bytes);
  }
}

}  // namespace

std::span<const HintRow> hint_table() {
  static const std::vector<HintRow> rows = make_table();
  return rows;
}

const HintRow* find_hint(std::string_view key) {
  const auto rows = hint_table();
  const auto row = std::ranges::find(rows, key, &HintRow::key);
  return row == rows.end() ? nullptr : &*row;
}

bool is_allowed(std::string_view key, std::string_view value) {
  const HintRow* row = find_hint(key);
  Hints unused;
  return row && row->set(value, unused);
}

Hints parse_hints(const std::map<std::string, std::string>& given) {
  Hints h;
  for (const HintRow& row : hint_table()) h.in_force[std::string(row.key)] = row.default_value;
  for (const bool own : {false, true})  // warnings about other layers' names come first
    for (const auto& [key, value] : given)
      if (key.starts_with("collio_") == own) take(key, value, h);
  prefer_own_names(h);
  limit_buffer(h);
  settle_subfiles(h);
  return h;
}

void settle_subfiles(Hints& hints) {
  if (hints.in_force["collio_subfiles"] == "auto")
    hints.subfiles = static_cast<int>(hints.subfile_folders.size());
}

std::int64_t message_budget(std::int64_t window_bytes, const Hints& hints) noexcept {
  constexpr std::int64_t least = 256 << 10;
  return std::max(window_bytes,
                  hints.memory_limit_bytes > 0 ? std::min(least, hints.memory_limit_bytes / 8) : least);
}

std::map<std::string, std::string> split_hints(std::string_view text, std::vector<std::string>& warnings) {
  std::map<std::string, std::string> pairs;
  while (!text.empty()) {
    const auto semicolon = std::min(text.find(';'), text.size());
    const std::string_view entry = text.substr(0, semicolon);
    text.remove_prefix(std::min(semicolon + 1, text.size()));
    if (entry.empty()) continue;
    const auto equals = entry.find('=');
    if (equals == std::string_view::npos || equals == 0)
      warnings.push_back("COLLIO_HINTS: '" + std::string(entry) + "' is not key=value");
    else
      pairs[std::string(entry.substr(0, equals))] = entry.substr(equals + 1);
  }
  return pairs;
}

}  // namespace collio::policy
