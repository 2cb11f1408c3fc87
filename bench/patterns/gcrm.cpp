// A step of a global cloud resolving model (Palmer et al., "Efficient data IO for a Parallel Global Cloud
// Resolving Model", Environmental Modelling & Software 26, 2011; as an I/O benchmark: Kumar et al., 2016): an
// icosahedron's ten panels are refined to 2^level x 2^level cells each, and cut into 10 * 4^blocks-level
// blocks. Cells are numbered along a Morton curve, so a block's cells follow each other. Ranks have whole
// blocks, as evenly as they can be dealt, in the order of the curve. 38 record variables lie one behind the
// other:
//
//   variable [cells][layers], of floats
//
// Each is one collective call to an explicit offset, with no view. The two cells at the poles are left out.
#include <algorithm>

#include "patterns/dense.hpp"
#include "patterns/patterns.hpp"

namespace collio::bench {
namespace {

struct GeodesicGrid {
  static constexpr std::int64_t number_bytes = sizeof(float);
  static constexpr std::int64_t variables = 38;

  std::int64_t level;
  std::int64_t blocks_level;
  std::int64_t layers;

  /// Cells or blocks.
  [[nodiscard]] static std::int64_t on_panels(std::int64_t level) { return std::int64_t{10} << (2 * level); }
  [[nodiscard]] std::int64_t variable_bytes() const { return on_panels(level) * layers * number_bytes; }
  /// Bytes of a variable before those of a rank.
  [[nodiscard]] std::int64_t before(std::int64_t rank, std::int64_t ranks) const {
    const std::int64_t blocks = on_panels(blocks_level);
    const std::int64_t first = rank * (blocks / ranks) + std::min(rank, blocks % ranks);
    return variable_bytes() / blocks * first;
  }
};

class Gcrm final : public DensePattern {
 public:
  Gcrm(const GeodesicGrid& grid, World world) {
    file_bytes_ = GeodesicGrid::variables * grid.variable_bytes();
    const std::int64_t begin = grid.before(world.rank, world.size);
    const std::int64_t end = grid.before(world.rank + 1, world.size);
    for (std::int64_t variable = 0; variable < GeodesicGrid::variables; ++variable)
      add_contiguous({variable * grid.variable_bytes() + begin, end - begin});
  }
};

}  // namespace

std::unique_ptr<Pattern> make_gcrm(Options& options, World world) {
  const std::int64_t level = options.number("level", 6, {3, 12});
  const std::int64_t blocks_level = options.number("blocks-level", 3, {0, level});
  const std::int64_t layers = options.number("layers", 26, {1, 1024});
  return std::make_unique<Gcrm>(GeodesicGrid{level, blocks_level, layers}, world);
}

}  // namespace collio::bench
