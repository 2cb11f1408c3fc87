// Variables of a model, one behind the other in the file, each spread over the ranks by a decomposition of a
// map file (see e3sm_map.h). All variables in ONE collective call: the runs of all of them in one combined
// hindexed filetype, as a flush of non-blocking PnetCDF writes does.
#pragma once

#include "pattern.hpp"

namespace collio::bench {

struct MapDefaults {
  const char* variables;                   // of --variables
  std::vector<std::string> element_sizes;  // allowed bytes of an element, the default first
};

/// The pattern of --map-binary, --variables, --decomposition and --element-size.
[[nodiscard]] std::unique_ptr<Pattern> make_map_variables(Options& options, World world,
                                                          const MapDefaults& defaults);

}  // namespace collio::bench
