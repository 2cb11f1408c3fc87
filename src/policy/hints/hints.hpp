// Hints: what the user may set, what is allowed, what is in force. The table of all hints is hints.def.
//
// Keys come from MPI_Info at open, overridden by the environment (COLLIO_HINTS, "key=value;key=value").
// A value that is not allowed never fails a call: the default stays in force and a warning names the
// value and what is allowed.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/hints/choices.hpp"
#include "policy/hints/hint_kinds.hpp"

namespace collio::policy {

/// A member for every row of hints.def, of the type its kind has, and with the row's default.
struct Hints {
#define COLLIO_HINT(key, member, type, by_default, ...) \
  decltype(kind::type)::Value member = kind::type.read(by_default).value();
#include "policy/hints/hints.def"
  /// romio_cb_write and romio_cb_read ask that each rank makes such calls for itself and waits for nobody.
  bool own_writes = false, own_reads = false;
  /// every key collio honours, as MPI_File_get_info shows it
  std::map<std::string, std::string> in_force;
  std::vector<std::string> warnings;
  /// keys whose values are not allowed
  std::vector<std::string> refused;
};

/// A row of hints.def.
struct HintRow {
  std::string_view key, default_value, meaning;
  std::string allowed;
  /// sets the row's member; false: not allowed, and nothing changed
  bool (*set)(std::string_view text, Hints& hints);
  /// how an allowed value is shown among those in force
  std::string_view (*shown)(std::string_view text);
  /// what more there is to say of a value that is not allowed
  std::string (*why)(std::string_view text);
};

/// Every key collio knows.
[[nodiscard]] std::span<const HintRow> hint_table();

/// The row of a key; null: collio does not know it.
[[nodiscard]] const HintRow* find_hint(std::string_view key);

/// Whether `value` may be given for a key that collio knows.
[[nodiscard]] bool is_allowed(std::string_view key, std::string_view value);

/// Hints from key-value pairs; unknown keys that start with "collio_" warn, others are ignored.
[[nodiscard]] Hints parse_hints(const std::map<std::string, std::string>& given);

/// Makes collio_subfiles=auto a number, by the folders there are.
void settle_subfiles(Hints& hints);

/// Most bytes of messages under way in each direction, for windows of that length.
[[nodiscard]] std::int64_t message_budget(std::int64_t window_bytes, const Hints& hints) noexcept;

/// Splits "key=value;key=value". Entries without '=' become warnings.
[[nodiscard]] std::map<std::string, std::string> split_hints(std::string_view text,
                                                             std::vector<std::string>& warnings);

}  // namespace collio::policy
