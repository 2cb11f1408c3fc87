// See other_settings.hpp.
#include "policy/hints/other_settings.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "core/trimmed.hpp"
#include "policy/hints/hints.hpp"

namespace collio::policy {

namespace {

using core::blanks;
using core::trimmed;

/// A word of the user's for a warning.
std::string shown(std::string_view text) {
  constexpr std::size_t longest = 80;
  return "'" + std::string(text.substr(0, longest)) + (text.size() > longest ? "...'" : "'");
}

enum class Quotes { none, hashes };

/// Takes the text before the next `separator` off `text`. Between two hashes there are none.
std::string_view take_part(std::string_view& text, char separator, Quotes quotes) {
  std::size_t end = 0;
  for (bool quoted = false; end < text.size() && (quoted || text[end] != separator); ++end)
    if (quotes == Quotes::hashes && text[end] == '#') quoted = !quoted;
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

/// Adds a pair if it is a hint of collio's with a value that is allowed. `where`: of the pair, for the
/// warning.
void add(Settings& to, const std::string& where, const std::string& key, const std::string& value) {
  const HintRow* row = find_hint(key);
  if (!row) return;
  if (is_allowed(key, value))
    to.pairs.emplace(key, value);
  else
    to.warnings.push_back(where + ": " + key + " " + shown(value) +
                          " is not allowed (allowed: " + std::string(row->allowed) + "); it is ignored");
}

struct CraySpec {
  std::string pattern;
  /// "key=value", as they are written
  std::vector<std::string> pairs;
};

std::optional<CraySpec> parse_cray_spec(std::string_view text) {
  CraySpec spec;
  while (!text.empty()) {
    std::string part(trimmed(take_part(text, ':', Quotes::hashes)));
    const bool is_pair = part.find('=') != std::string::npos;
    if (is_pair && (part.front() == '=' || part.back() == '=')) return {};
    if (!is_pair && !spec.pairs.empty()) return {};
    if (is_pair)
      spec.pairs.push_back(std::move(part));
    else
      spec.pattern += (spec.pattern.empty() ? "" : ":") + part;  // "ufs:/scratch/*"
  }
  if (spec.pattern.empty() || spec.pairs.empty()) return {};
  return spec;
}

std::string without_quotes(std::string value) {
  std::erase(value, '#');
  return value;
}

/// Open MPI takes "16M" for a size.
std::string in_bytes(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const std::size_t power =
      unit.empty() || unit.size() > 2 ? 0 : std::string_view("kmgKMG").find(unit[0]) % 3 + 1;
  const bool is_unit = !unit.empty() && unit.size() <= 2 &&
                       std::string_view("kmgKMG").find(unit[0]) != std::string_view::npos &&
                       (unit.size() == 1 || unit[1] == 'B');
  if (error != std::errc{} || !is_unit || number < 0 || number >= std::int64_t{1} << 31)
    return std::string(text);
  return std::to_string(number << (10 * power));
}

}  // namespace

Settings parse_romio_file(std::string_view text, const std::string& name) {
  Settings found;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = trimmed(take_part(text, '\n', Quotes::none));
    if (line.empty() || line[0] == '#') continue;
    const std::string where = name + ":" + std::to_string(number);
    const std::size_t end = std::min(line.find_first_of(blanks), line.size());
    const std::string_view value = trimmed(line.substr(end));
    if (value.empty() || value.find_first_of(blanks) != std::string_view::npos)
      found.warnings.push_back(where + ": " + shown(line) + " is not 'key value'; it is ignored");
    else
      add(found, where, std::string(line.substr(0, end)), std::string(value));
  }
  return found;
}

Settings parse_cray_hints(std::string_view text,
                          const std::function<bool(const std::string& pattern)>& matches) {
  Settings found;
  bool matched = false;
  while (!text.empty()) {
    const std::string_view entry = trimmed(take_part(text, ',', Quotes::hashes));
    if (entry.empty()) continue;
    const auto spec = parse_cray_spec(entry);
    if (!spec) {
      found.warnings.push_back("MPICH_MPIIO_HINTS: " + shown(entry) +
                               " is not PATTERN:key=value:key=value; it is ignored");
      continue;
    }
    Settings here;
    for (const std::string& pair : spec->pairs)
      add(here, "MPICH_MPIIO_HINTS: " + spec->pattern, pair.substr(0, pair.find('=')),
          without_quotes(pair.substr(pair.find('=') + 1)));
    found.warnings.insert(found.warnings.end(), here.warnings.begin(), here.warnings.end());
    if (!matched && matches(spec->pattern)) {
      matched = true;
      found.pairs = std::move(here.pairs);
    }
  }
  return found;
}

const std::vector<OpenMpiParameter>& open_mpi_parameters() {
  static const std::vector<OpenMpiParameter> parameters{
      {"OMPI_MCA_io_ompio_num_aggregators", {"cb_nodes"}},
      {"OMPI_MCA_io_ompio_bytes_per_agg", {"cb_buffer_size"}},
      {"OMPI_MCA_fs_lustre_stripe_size", {"striping_unit"}},
      {"OMPI_MCA_fs_lustre_stripe_width", {"striping_factor"}},
      {"OMPI_MCA_fcoll", {"romio_cb_write", "romio_cb_read"}},
  };
  return parameters;
}

Settings open_mpi_hints(const std::function<const char*(const char* variable)>& value_of) {
  Settings found;
  for (const OpenMpiParameter& parameter : open_mpi_parameters()) {
    const char* text = value_of(parameter.variable);
    std::string value(trimmed(text ? text : ""));
    if (value.empty() || value == "-1" || value == "0") continue;  // "as by default"
    const bool is_component = parameter.keys.size() > 1;
    if (is_component && value != "individual") continue;  // other components aggregate, in their own ways
    value = is_component ? "disable" : in_bytes(value);
    for (const std::string_view key : parameter.keys) add(found, parameter.variable, std::string(key), value);
  }
  return found;
}

}  // namespace collio::policy
