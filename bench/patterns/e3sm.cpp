// Variables of an atmosphere model on E3SM's cubed-sphere grid, by default ten of them in single precision.
// Python makes the map (collio.e3sm), from the generated grid or a decomposition file of the E3SM-IO
// benchmark.
#include "patterns/map_variables.hpp"
#include "patterns/patterns.hpp"

namespace collio::bench {

std::unique_ptr<Pattern> make_e3sm(Options& options, World world) {
  return make_map_variables(options, world, e3sm_defaults());
}

}  // namespace collio::bench
