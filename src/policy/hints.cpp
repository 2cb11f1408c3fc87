// See hints.hpp. To add a hint: a row in `rows`, a line in `apply`.
#include "policy/hints.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include "policy/assignment.hpp"
#include "policy/elect_aggregators.hpp"
#include "policy/faults.hpp"
#include "policy/file_cuts.hpp"
#include "policy/select_aggregators.hpp"

namespace collio::policy {

namespace {

constexpr std::array<HintRow, 31> rows{{
    {"collio_enable", "enable", "enable, disable", "take over this file's collective calls, or pass them through"},
    {"collio_path", "auto", "auto, two_layer, two_phase, independent", "how collective calls move their bytes"},
    {"collio_holes", "auto", "auto, piecewise, sieve", "windows with holes: each piece, or read-modify-write"},
    {"collio_window", "auto", "1..1073741824, auto", "bytes an aggregator serves per round, at most cb_buffer_size"},
    {"collio_local_aggregators", "auto", "1..1000000, auto", "local aggregators in all; as many as ranks: one layer"},
    {"nc_num_aggrs_per_node", "auto", "0..1000000, auto", "local aggregators per node; 0: auto"},
    {"collio_nodes_per_group", "1", "1..1000000", "nodes whose pieces meet before they go on to aggregators elsewhere"},
    {"collio_sends", "synchronous", "synchronous, standard", "between nodes: sends that complete when received, or at once"},
    {"collio_schedule", "auto", "auto, none, communication, write, write_communication, write_communication_2, dataflow",
     "what overlaps in the rounds of two_phase"},
    {"collio_buffers", "2", "2..64", "windows an aggregator has in memory when rounds overlap; cb_buffer_size is for all of them"},
    {"collio_transfer", "two_sided", "auto, two_sided, fence, lock", "how data gets to and from the aggregators of two_phase: messages, or one-sided"},
    {"collio_transfer_piece", "512", "1..1073741824", "bytes of the shortest pieces, on average, that go one-sided; shorter ones go with messages"},
    {"collio_storage", "auto", "auto, posix, threads, uring, aio, null", "I/O backend: the calling thread, threads, io_uring, POSIX aio"},
    {"collio_storage_threads", "2", "1..64", "threads of a process, for collio_storage=threads"},
    {"collio_direct", "disable", "enable, disable", "aligned parts go past the page cache (O_DIRECT)"},
    {"collio_faults", "none", "none, @FILE, or rules WHO:WHERE:EFFECT with / between them", "faults injected into the calls on the file, for tests and drills"},
    {"cb_nodes", "auto", "1..1000000, auto", "number of aggregators in all"},
    {"collio_aggregators", "dealt",
     "dealt, one_per_node, per_numa, per_nic, round_robin, spread, greedy, shortest_path, longest_path, topology_aware, contention_aware",
     "which ranks aggregate; the last five elect nodes for every call"},
    {"collio_assignment", "auto", "auto, in_order, locality_aware, least_hop_bytes, least_congestion",
     "which aggregator serves which file domain"},
    {"collio_domains", "even", "even, aligned, static_cyclic, group_cyclic, balanced",
     "how the span of a call is cut into file domains"},
    {"collio_patience", "60", "0..86400", "seconds a rank waits before it names missing ranks on stderr; 0: never"},
    {"collio_check", "disable", "enable, disable, strict", "look for what the program gets wrong in collective calls; strict: overlapping writes fail"},
    {"collio_memory_limit", "auto", "1048576..1099511627776, auto", "most bytes of a rank's buffers, shared windows included; auto: cb_buffer_size decides"},
    {"cb_buffer_size", "16777216", "1..2147483647", "most bytes of an aggregator's collective buffer; collio's has 1073741824 at most"},
    {"cb_config_list", "auto", "comma-separated HOST:COUNT, *:COUNT, *:*", "most aggregators per host"},
    {"romio_cb_write", "automatic", "enable, disable, automatic", "collective buffering for writes"},
    {"romio_cb_read", "automatic", "enable, disable, automatic", "collective buffering for reads"},
    {"romio_ds_write", "automatic", "enable, disable, automatic", "data sieving for writes with holes"},
    {"romio_ds_read", "automatic", "enable, disable, automatic", "data sieving for reads with holes"},
    {"striping_unit", "auto", "0..1073741824, auto", "bytes to which file domains are aligned; 0: auto"},
    {"striping_factor", "auto", "-1, 0..1000000, auto", "servers the file is striped over; 0 and -1: auto; also passed on to the MPI library"},
}};

constexpr std::int64_t most_buffer_bytes = 1 << 30;

std::optional<std::int64_t> number(std::string_view text, std::int64_t low, std::int64_t high) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < low || value > high) return {};
  return value;
}

bool set_number(std::string_view text, std::int64_t high, std::int64_t& out) {
  if (text == "auto") return true;
  const auto value = number(text, 1, high);
  if (value) out = *value;
  return value.has_value();
}

bool set_memory_limit(std::string_view text, std::int64_t& out) {
  if (text == "auto") return true;
  const auto value = number(text, 1 << 20, std::int64_t{1} << 40);
  if (value) out = *value;
  return value.has_value();
}

bool set_count(std::string_view text, int& out) {
  std::int64_t count = out;
  if (!set_number(text, 1000000, count)) return false;
  out = static_cast<int>(count);
  return true;
}

bool set_path(std::string_view text, Path& out) {
  if (text == "automatic" || text == "auto") return true;
  if (text == "enable" || text == "two_layer")
    out = Path::two_layer;
  else if (text == "two_phase")
    out = Path::two_phase;
  else if (text == "disable" || text == "independent")
    out = Path::independent;
  else
    return false;
  return true;
}

bool set_holes(std::string_view text, Holes& out) {
  if (text == "automatic" || text == "auto") return true;
  if (text == "enable" || text == "sieve")
    out = Holes::sieve;
  else if (text == "disable" || text == "piecewise")
    out = Holes::piecewise;
  else
    return false;
  return true;
}

bool set_host_limits(std::string_view text, std::vector<HostLimit>& out) {
  if (text == "auto") return true;
  std::vector<HostLimit> limits;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    const std::string_view entry = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const auto colon = std::min(entry.rfind(':'), entry.size());
    HostLimit limit{std::string(entry.substr(0, colon)), 1};
    if (limit.host.empty()) return false;
    if (colon < entry.size()) {
      const std::string_view count = entry.substr(colon + 1);
      const auto value = count == "*" ? std::optional<std::int64_t>(1000000) : number(count, 0, 1000000);
      if (!value) return false;
      limit.limit = static_cast<int>(*value);
    }
    limits.push_back(std::move(limit));
  }
  if (limits.empty()) return false;
  out = std::move(limits);
  return true;
}

constexpr std::array<std::pair<std::string_view, StorageKind>, 6> storage_kinds{{
    {"auto", StorageKind::automatic}, {"posix", StorageKind::posix}, {"threads", StorageKind::threads},
    {"uring", StorageKind::uring}, {"aio", StorageKind::aio}, {"null", StorageKind::null},
}};

constexpr std::array<std::pair<std::string_view, Transfer>, 4> transfers{{
    {"auto", Transfer::automatic}, {"two_sided", Transfer::two_sided}, {"fence", Transfer::fence}, {"lock", Transfer::lock},
}};

constexpr std::array<std::pair<std::string_view, Schedule>, 7> schedules{{
    {"auto", Schedule::automatic}, {"none", Schedule::none}, {"communication", Schedule::communication}, {"write", Schedule::write},
    {"write_communication", Schedule::write_communication}, {"write_communication_2", Schedule::write_communication_2},
    {"dataflow", Schedule::dataflow},
}};

constexpr std::array<std::pair<std::string_view, Check>, 3> checks{{{"disable", Check::none}, {"enable", Check::warn}, {"strict", Check::strict}}};

/// Sets `out` to the value that `text` names. False: none.
template <class Names, class Value>
bool set_named(const Names& names, std::string_view text, Value& out) {
  for (const auto& [name, value] : names)
    if (name == text) return out = value, true;
  return false;
}

/// The name of `value`.
template <class Names, class Value>
std::string_view named(const Names& names, Value value) {
  for (const auto& [name, known] : names)
    if (known == value) return name;
  return "?";
}

/// Sets `out` to a number within limits. False: it is none.
bool set_between(std::string_view text, std::int64_t low, std::int64_t high, int& out) {
  const auto value = number(text, low, high);
  if (value) out = static_cast<int>(*value);
  return value.has_value();
}

bool one_of(std::string_view value, std::initializer_list<std::string_view> allowed) {
  return std::ranges::find(allowed, value) != allowed.end();
}

bool set_aggregators(std::string_view text, Hints& h) {
  const auto selection = selection_named(text);
  const auto election = election_named(text);
  if (!selection && !election) return false;
  h.selection = selection;
  h.election = election;
  return true;
}

bool set_cut(std::string_view text, std::optional<Cut>& out) {
  const auto named = cut_named(text);
  if (named) out = named;
  return named.has_value();
}

bool set_faults(std::string_view text, std::string& out) {
  const bool allowed = parse_faults(text).ok();
  if (allowed) out = text;
  return allowed;
}

/// What more there is to say of a value that is not allowed.
std::string details(std::string_view key, std::string_view value) {
  return key == "collio_faults" ? ": " + parse_faults(value).error().message : "";
}

bool set_assignment(std::string_view text, std::optional<Assignment>& out) {
  if (text == "auto") return true;
  const auto named = assignment_named(text);
  if (named) out = named;
  return named.has_value();
}

/// What `value`, which other layers allow, is among collio's own.
std::string_view own_value(std::string_view key, std::string_view value) {
  if (key.starts_with("romio_")) {  // ROMIO takes both, and no others
    if (value == "ENABLE") return "enable";
    if (value == "DISABLE") return "disable";
    if (value == "AUTOMATIC") return "automatic";
  }
  // "As by default", for PnetCDF, ROMIO and Lustre; -1 is every server there is.
  if (value == "0" && one_of(key, {"nc_num_aggrs_per_node", "striping_unit", "striping_factor"})) return "auto";
  return key == "striping_factor" && value == "-1" ? "auto" : value;
}

/// MPI libraries take any positive int. False: it is none.
bool set_buffer(std::string_view text, Hints& h) {
  const auto value = number(text, 1, std::numeric_limits<std::int32_t>::max());
  if (value) h.buffer_bytes = *value;
  return value.has_value();
}

/// Applies one pair. False: the value is not allowed and nothing changed.
bool apply(std::string_view key, std::string_view value, Hints& h) {
  if (key == "collio_enable") {
    if (!one_of(value, {"enable", "disable"})) return false;
    h.enabled = value == "enable";
    return true;
  }
  if (key == "collio_path") {
    if (!one_of(value, {"auto", "two_layer", "two_phase", "independent"})) return false;
    return set_path(value, h.write_path) && set_path(value, h.read_path);
  }
  if (key == "collio_holes") {
    if (!one_of(value, {"auto", "piecewise", "sieve"})) return false;
    return set_holes(value, h.write_holes) && set_holes(value, h.read_holes);
  }
  if (key == "collio_sends") {
    if (!one_of(value, {"synchronous", "standard"})) return false;
    h.synchronous_sends = value == "synchronous";
    return true;
  }
  if (key == "collio_storage") return set_named(storage_kinds, value, h.storage);
  if (key == "collio_storage_threads") return set_between(value, 1, 64, h.storage_threads);
  if (key == "collio_schedule") return set_named(schedules, value, h.schedule);
  if (key == "collio_buffers") return set_between(value, 2, 64, h.buffers);
  if (key == "collio_patience") return set_between(value, 0, 86400, h.patience_s);
  if (key == "collio_memory_limit") return set_memory_limit(value, h.memory_limit_bytes);
  if (key == "collio_check") return set_named(checks, value, h.check);
  if (key == "collio_faults") return set_faults(value, h.faults);
  if (key == "collio_transfer") return set_named(transfers, value, h.transfer);
  if (key == "collio_transfer_piece") return value != "auto" && set_number(value, 1 << 30, h.transfer_piece_bytes);
  if (key == "collio_direct") {
    if (!one_of(value, {"enable", "disable"})) return false;
    h.direct = value == "enable";
    return true;
  }
  if (key.starts_with("romio_") && !one_of(value, {"enable", "disable", "automatic"})) return false;
  if (key == "romio_cb_write") return set_path(value, h.write_path);
  if (key == "romio_cb_read") return set_path(value, h.read_path);
  if (key == "romio_ds_write") return set_holes(value, h.write_holes);
  if (key == "romio_ds_read") return set_holes(value, h.read_holes);
  if (key == "cb_buffer_size") return set_buffer(value, h);
  if (key == "collio_window") return set_number(value, 1 << 30, h.window_bytes);
  if (key == "striping_unit") return set_number(value, 1 << 30, h.alignment_bytes);
  if (key == "cb_config_list") return set_host_limits(value, h.host_limits);
  if (key == "collio_aggregators") return set_aggregators(value, h);
  if (key == "collio_domains") return set_cut(value, h.cut);
  if (key == "collio_assignment") return set_assignment(value, h.assignment);
  if (key == "collio_local_aggregators") return set_count(value, h.local_aggregators);
  if (key == "nc_num_aggrs_per_node") return set_count(value, h.local_aggregators_per_node);
  if (key == "collio_nodes_per_group") return value != "auto" && set_count(value, h.nodes_per_group);
  if (key == "cb_nodes") return set_count(value, h.aggregators);
  return set_count(value, h.servers);  // striping_factor
}

}  // namespace

std::span<const HintRow> hint_table() noexcept { return rows; }

const HintRow* find_hint(std::string_view key) noexcept {
  const auto row = std::ranges::find(rows, key, &HintRow::key);
  return row == rows.end() ? nullptr : &*row;
}

bool is_allowed(std::string_view key, std::string_view value) {
  Hints unused;
  return find_hint(key) && apply(key, own_value(key, value), unused);
}

std::string_view name_of(Path path) noexcept {
  switch (path) {
    case Path::automatic: return "auto";
    case Path::two_layer: return "two_layer";
    case Path::two_phase: return "two_phase";
    case Path::independent: return "independent";
    case Path::native: return "native";
  }
  return "?";
}

std::string_view name_of(Schedule schedule) noexcept { return named(schedules, schedule); }
std::string_view name_of(Transfer transfer) noexcept { return named(transfers, transfer); }
std::string_view name_of(StorageKind kind) noexcept { return named(storage_kinds, kind); }

Hints parse_hints(const std::map<std::string, std::string>& given) {
  Hints h;
  for (const HintRow& row : rows) h.in_force[std::string(row.key)] = row.default_value;
  // ROMIO's names first, so that collio's own win where both are given.
  for (const bool own : {false, true}) {
    for (const auto& [key, value] : given) {
      if (key.starts_with("collio_") != own) continue;
      const HintRow* row = find_hint(key);
      if (row && apply(key, own_value(key, value), h)) {
        h.in_force[key] = own_value(key, value);
      } else if (row) {
        h.refused.push_back(key);
        h.warnings.push_back("hint " + key + ": '" + value + "' is not allowed (allowed: " +
                             std::string(row->allowed) + "); " + h.in_force[key] + " stays in force" + details(key, value));
      } else if (own) {
        h.warnings.push_back("hint " + key + " is unknown; `collio info` lists all");
      }
    }
  }
  if (h.buffer_bytes > most_buffer_bytes) {
    h.warnings.push_back("hint cb_buffer_size: " + std::to_string(h.buffer_bytes) + " bytes are more than collio's buffers may have; " +
                         std::to_string(most_buffer_bytes) + " is in force");
    h.buffer_bytes = most_buffer_bytes;
    h.in_force["cb_buffer_size"] = std::to_string(h.buffer_bytes);
  }
  // A window, messages on both ways and the old content of a window with holes: an eighth each; as much again for messages that are longer than they
  // should be, and for buffers that wait for their next use.
  if (h.memory_limit_bytes > 0 && h.buffer_bytes > h.memory_limit_bytes / 8) {
    h.buffer_bytes = h.memory_limit_bytes / 8;
    h.in_force["cb_buffer_size"] = std::to_string(h.buffer_bytes);
  }
  return h;
}

std::int64_t message_budget(std::int64_t window_bytes, const Hints& hints) noexcept {
  constexpr std::int64_t least = 256 << 10;
  return std::max(window_bytes, hints.memory_limit_bytes > 0 ? std::min(least, hints.memory_limit_bytes / 8) : least);
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
