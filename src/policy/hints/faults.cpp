// See faults.hpp.
#include "policy/hints/faults.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <iterator>
#include <utility>

#include "core/names.hpp"
#include "core/trimmed.hpp"

namespace collio::policy {

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

#define COLLIO_FAULT_LIMIT(name, value) constexpr int name = value;
#include "policy/hints/faults.def"

constexpr auto points = std::to_array<core::Name<FaultPoint>>({
#define COLLIO_FAULT_POINT(word, moves) {#word, FaultPoint::word},
#include "policy/hints/faults.def"
});

constexpr auto errors = std::to_array<core::Name<int>>({
    {"ZERO", 0},
#define COLLIO_FAULT_ERROR(name) {#name, name},
#include "policy/hints/faults.def"
});

/// Whether a call moves bytes: elsewhere none can be missing.
constexpr bool moves_bytes(FaultPoint point) {
  switch (point) {
#define COLLIO_FAULT_POINT(word, moves) \
  case FaultPoint::word:                \
    return moves;
#include "policy/hints/faults.def"
  }
  return false;
}

/// Sets `out` to the value of a word. False: there is none.
template <class Names, class Value>
bool set_named(const Names& names, std::string_view word, Value& out) {
  const auto value = core::value_named(names, word);
  if (value) out = *value;
  return value.has_value();
}

template <class Number>
bool set_number(std::string_view text, Number low, Number high, Number& out) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || text.front() == '-' || error != std::errc{} || end != text.data() + text.size() ||
      !(value >= low && value <= high))
    return false;
  out = value;
  return true;
}

/// Plain decimals above 0.
bool set_seconds(std::string_view text, double& out) {
  if (out != 0 || text.find_first_not_of("0123456789.") != std::string_view::npos) return false;
  return set_number(text, 0.0, double{longest_s}, out) && out > 0;
}

/// Takes what comes before `separator` off `text`; all of it where there is none.
std::string_view take_part(std::string_view& text, char separator) {
  const std::size_t at = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return part;
}

/// "N" or "N-M"; with `open_end` also "N+".
bool set_range(std::string_view text, std::int64_t low, bool open_end, FaultRange& out) {
  if (open_end && text.ends_with('+'))
    return set_number(text.substr(0, text.size() - 1), low, most, out.first);
  const std::size_t dash = text.find('-');
  if (!set_number(text.substr(0, dash), low, most, out.first)) return false;
  if (dash == std::string_view::npos) return out.last = out.first, true;
  return set_number(text.substr(dash + 1), out.first, most, out.last);
}

/// all, 0,2-5, aggregators, aggregator=0,2-5.
bool set_who(std::string_view text, FaultRule& rule) {
  if (text == "all") return true;
  constexpr std::string_view one = "aggregator=";
  rule.aggregators = text == "aggregators" || text.starts_with(one);
  if (text == "aggregators") return true;
  if (rule.aggregators) text.remove_prefix(one.size());
  if (text.empty() || text.ends_with(',')) return false;
  while (!text.empty()) {
    FaultRange range;
    if (!set_range(take_part(text, ','), 0, false, range)) return false;
    rule.who.push_back(range);
  }
  return true;
}

bool set_where(std::string_view text, FaultRule& rule) {
  const std::size_t number = std::min(text.find_first_of("0123456789"), text.size());
  if (!set_named(points, text.substr(0, number), rule.where)) return false;
  return number == text.size() || set_range(text.substr(number), 1, true, rule.which);
}

bool set_effect(std::string_view text, FaultEffect& effect) {
  const std::size_t equals = text.find('=');
  const std::string_view key = text.substr(0, equals);
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view{} : text.substr(equals + 1);
  if (key == "delay") return set_seconds(value, effect.delay_s);
  if (key == "stuck") return set_seconds(value, effect.stuck_s);
  if (key == "short")
    return !effect.short_bytes && set_number<std::int64_t>(value, 0, most, effect.short_bytes.emplace());
  if (key == "EINTR" && effect.interruptions == 0)
    return equals == std::string_view::npos ? (effect.interruptions = 1, true)
                                            : set_number(value, 1, most_interruptions, effect.interruptions);
  return !effect.error && set_named(errors, text, effect.error.emplace());
}

/// What of the rule is not allowed; empty: nothing.
std::string_view set_rule(std::string_view text, FaultRule& rule) {
  const std::string_view whole = text;
  const std::string_view who = take_part(text, ':'), where = take_part(text, ':');
  if (!set_who(who, rule)) return who.empty() ? whole : who;
  if (!set_where(where, rule)) return where.empty() ? whole : where;
  if (text.empty() || text.ends_with(',')) return whole;
  while (!text.empty()) {
    const std::string_view effect = take_part(text, ',');
    if (!set_effect(effect, rule.effect)) return effect.empty() ? whole : effect;
    if (!moves_bytes(rule.where) && (rule.effect.short_bytes || rule.effect.error == 0)) return effect;
  }
  return {};
}

core::Result<FaultRules> parse_rules(std::string_view text) {
  FaultRules all;
  while (!text.empty()) {
    const std::string_view one = take_part(text, '/');
    const std::string_view wrong = set_rule(one, all.rules.emplace_back());
    if (one.empty() || !wrong.empty())
      return core::Error{core::ErrorClass::argument, "'" + std::string(wrong) + "' in '" + std::string(one) +
                                                         "' is not allowed (allowed: " + allowed_faults() +
                                                         ")"};
  }
  return all;
}

using core::trimmed;

}  // namespace

bool FaultRule::concerns(std::int64_t rank, std::int64_t aggregator) const noexcept {
  const std::int64_t number = aggregators ? aggregator : rank;
  return number >= 0 &&
         (who.empty() || std::ranges::any_of(who, [number](const FaultRange& r) { return r.has(number); }));
}

std::string allowed_faults() {
  std::string where, errnos;
#define COLLIO_FAULT_POINT(word, moves) where += #word ", ";
#define COLLIO_FAULT_ERROR(name) errnos += " " #name;
#include "policy/hints/faults.def"
  return "none, @FILE, or WHO:WHERE:EFFECT with / between rules; WHO: all, aggregators, aggregator=LIST, "
         "LIST of ranks as in 0,2-5; WHERE: " +
         where + "with N, N+ or N-M behind it; EFFECT: delay=S, stuck=S (seconds, at most " +
         std::to_string(longest_s) + "), EINTR, EINTR=N (1.." + std::to_string(most_interruptions) +
         "), short=BYTES, ZERO, or one of" + errnos +
         ", with , between several; short and ZERO for reads and writes";
}

core::Result<FaultRules> parse_faults(std::string_view text) {
  if (text == "none") return FaultRules{};
  if (text.starts_with('@') && text.size() > 1) return FaultRules{{}, std::string(text.substr(1))};
  if (text.empty() || text.ends_with('/'))
    return core::Error{core::ErrorClass::argument,
                       "'" + std::string(text) + "' is not allowed (allowed: " + allowed_faults() + ")"};
  return parse_rules(text);
}

core::Result<FaultRules> parse_fault_file(std::string_view text) {
  FaultRules all;
  while (!text.empty()) {
    std::string_view line = take_part(text, '\n');
    line = trimmed(take_part(line, '#'));
    if (line.empty() || line == "none") continue;
    auto some = parse_rules(line);
    if (!some) return some;
    std::ranges::move(some.value().rules, std::back_inserter(all.rules));
  }
  return all;
}

}  // namespace collio::policy
