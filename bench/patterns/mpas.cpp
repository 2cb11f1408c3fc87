// Variables of an ocean model on an unstructured mesh of hexagons, as in E3SM's G case: on cells, edges and
// vertices. Cells are numbered as the mesh was refined, not by partition, so that a rank's requests are many,
// small and scattered. Python makes the map (collio.mpas): D1 cells, D2 edges, D3 vertices.
#include "patterns/map_variables.hpp"
#include "patterns/patterns.hpp"

namespace collio::bench {

std::unique_ptr<Pattern> make_mpas(Options& options, World world) {
  return make_map_variables(options, world, mpas_defaults());
}

}  // namespace collio::bench
