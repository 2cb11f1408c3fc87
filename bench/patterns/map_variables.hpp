// Variables of a map file (geometry/map.hpp). All variables in ONE collective call: the runs of all of them
// in one combined hindexed filetype, as a flush of non-blocking PnetCDF writes does; or a call for each.
#pragma once

#include "geometry/map.hpp"
#include "pattern.hpp"

namespace collio::bench {

/// The pattern of --map-binary, --variables, --decomposition, --element-size and --call-each.
[[nodiscard]] std::unique_ptr<Pattern> make_map_variables(Options& options, World world,
                                                          const MapDefaults& defaults);

}  // namespace collio::bench
