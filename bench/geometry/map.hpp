// Variables of a model, one behind the other in the file, each spread over the ranks by a decomposition of a
// map file (see e3sm_map.h).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "e3sm_map.h"
#include "options.hpp"

namespace collio::bench {

/// Closes the map when done.
class Map {
 public:
  explicit Map(const std::string& path) {
    char error[E3SM_MAP_ERROR_BYTES];
    if (e3sm_map_open(path.c_str(), &map_, error) != 0) throw UsageError(error);
  }
  Map(const Map&) = delete;
  Map& operator=(const Map&) = delete;
  ~Map() { e3sm_map_close(&map_); }

  [[nodiscard]] const e3sm_map& get() const { return map_; }
  [[nodiscard]] const e3sm_decomposition& at(std::int64_t index) const { return map_.decompositions[index]; }
  [[nodiscard]] std::span<const e3sm_run> runs(std::int64_t index, int rank) const {
    char error[E3SM_MAP_ERROR_BYTES];
    e3sm_runs runs{};
    if (e3sm_map_rank(&map_, index, rank, &runs, error) != 0) throw UsageError(error);
    return {runs.first, static_cast<std::size_t>(runs.count)};
  }

 private:
  e3sm_map map_{};
};

struct MapDefaults {
  const char* variables;                   // of --variables
  std::vector<std::string> element_sizes;  // allowed bytes of an element, the default first
};

struct MapVariables {
  std::unique_ptr<Map> map;
  std::vector<std::int64_t> counts;  // variables of each decomposition
  std::int64_t element_bytes;
};

/// What E3SM's atmosphere and MPAS' ocean have.
[[nodiscard]] inline MapDefaults e3sm_defaults() { return {.variables = "10", .element_sizes = {"4", "8"}}; }
[[nodiscard]] inline MapDefaults mpas_defaults() {
  return {.variables = "4,4,4", .element_sizes = {"8", "4"}};
}

/// Of --map-binary, --variables, --decomposition and --element-size.
[[nodiscard]] MapVariables map_variables(Options& options, std::int64_t ranks, const MapDefaults& defaults);

}  // namespace collio::bench
