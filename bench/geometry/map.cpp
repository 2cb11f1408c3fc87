#include "geometry/map.hpp"

#include <algorithm>

namespace collio::bench {
namespace {

/// Variables of each decomposition: "10" for one of them (named, or the last), or "2,2,6" for the first,
/// second, third.
[[nodiscard]] std::vector<std::int64_t> variable_counts(Options& options, const e3sm_map& map,
                                                        const char* otherwise) {
  const auto number = static_cast<std::size_t>(map.decomposition_count);
  std::vector<std::int64_t> counts;
  std::string text = options.text("variables", otherwise);
  const bool each = text.find(',') != std::string::npos;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    counts.push_back(parse_size("variables", text.substr(at, comma - at)));
    at = comma + 1;
  }
  if (counts.size() > number)
    throw UsageError("--variables is '" + text + "'; allowed: at most " + std::to_string(number) +
                     " values, one per decomposition of the map");
  if (std::all_of(counts.begin(), counts.end(), [](std::int64_t count) { return count == 0; }) ||
      *std::max_element(counts.begin(), counts.end()) > 10000)
    throw UsageError("--variables is '" + text + "'; allowed: 0 to 10000 each, 1 or more in all");
  if (each) return counts;
  const std::string name =
      options.text("decomposition", map.decomposition_count >= 3 ? map.decompositions[2].name
                                                                 : map.decompositions[number - 1].name);
  std::vector<std::int64_t> chosen(number, 0);
  std::string allowed;
  for (std::size_t d = 0; d < number; ++d) {
    if (name == map.decompositions[d].name) {
      chosen[d] = counts.front();
      return chosen;
    }
    allowed += (d == 0 ? "" : ", ") + std::string(map.decompositions[d].name);
  }
  throw UsageError("--decomposition is '" + name + "'; allowed: " + allowed);
}

}  // namespace

MapVariables map_variables(Options& options, std::int64_t ranks, const MapDefaults& defaults) {
  auto map = std::make_unique<Map>(options.required("map-binary"));
  if (map->get().ranks != ranks)
    throw UsageError("--map-binary is for " + std::to_string(map->get().ranks) + " ranks, but " +
                     std::to_string(ranks) + " are running; make it with --ranks " + std::to_string(ranks));
  const std::vector<std::int64_t> counts = variable_counts(options, map->get(), defaults.variables);
  const std::int64_t element_bytes = std::stoll(options.one_of("element-size", defaults.element_sizes));
  return {.map = std::move(map), .counts = counts, .element_bytes = element_bytes};
}

}  // namespace collio::bench
