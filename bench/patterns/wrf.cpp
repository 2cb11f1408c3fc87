// A record of the weather model WRF, as PnetCDF's benchmark WRF-IO writes it (header of a forecast over the
// United States, 2022): 122 fields on the grid [y][x] and 25 on levels above it [level][y][x], of floats, in
// the order of that header. The grid is cut into blocks of whole columns, one a rank. Staggered fields lie on
// edges of cells: the array has one more row or column, and so have the last blocks along that axis.
//
// Each variable is one collective call through a subarray view of its own. The record's 55 small variables,
// which rank 0 alone writes (3 KiB), are left out.
#include <array>

#include "patterns/dense.hpp"
#include "patterns/patterns.hpp"

namespace collio::bench {
namespace {

constexpr std::int64_t number_bytes = sizeof(float);
constexpr std::int64_t layers = 34;
constexpr std::int64_t layer_borders = 35;
constexpr std::int64_t soil_layers = 4;

enum class Staggered { no, along_y, along_x };

/// Variables of one shape that follow each other.
struct Fields {
  int count;
  std::int64_t levels;
  Staggered staggered = Staggered::no;
};

constexpr std::array record{
    Fields{4, 1},
    Fields{1, layers, Staggered::along_x},
    Fields{1, layers, Staggered::along_y},
    Fields{3, layer_borders},
    Fields{2, layers},
    Fields{3, 1},
    Fields{3, layers},
    Fields{8, 1},
    Fields{8, layers},
    Fields{3, 1},
    Fields{4, soil_layers},
    Fields{20, 1},
    Fields{2, layer_borders},
    Fields{1, 1},
    Fields{1, 1, Staggered::along_x},
    Fields{1, 1, Staggered::along_y},
    Fields{2, 1},
    Fields{2, 1, Staggered::along_x},
    Fields{3, 1, Staggered::along_y},
    Fields{12, 1},
    Fields{1, layers},
    Fields{36, 1},
    Fields{2, 1, Staggered::along_x},
    Fields{2, 1, Staggered::along_y},
    Fields{22, 1},
};

struct Grid {
  std::int64_t ny, nx;  // cells
  std::int64_t py, px;  // blocks; their product is the number of ranks
};

/// A rank's part of an axis; the last one has the edge behind the last cell.
[[nodiscard]] Axis part_of(std::int64_t cells, Part part, bool staggered) {
  Axis axis = even_part(cells, part);
  if (!staggered) return axis;
  axis.size += 1;
  if (part.index + 1 == part.of) axis.count += 1;
  return axis;
}

class Wrf final : public DensePattern {
 public:
  Wrf(const Grid& grid, World world) {
    const Part y{world.rank / grid.px, grid.py};
    const Part x{world.rank % grid.px, grid.px};
    for (const Fields& fields : record) {
      std::vector<Axis> axes{part_of(grid.ny, y, fields.staggered == Staggered::along_y),
                             part_of(grid.nx, x, fields.staggered == Staggered::along_x)};
      if (fields.levels > 1) axes.insert(axes.begin(), Axis{fields.levels, 0, fields.levels});
      for (int i = 0; i < fields.count; ++i) append_variable(axes);
    }
  }

 private:
  void append_variable(std::span<const Axis> axes) {
    append_block(axes, number_bytes, file_bytes_, own_);
    calls_.push_back({keep(subarray_type(axes, number_bytes)), file_bytes_, block_bytes(axes, number_bytes)});
    std::int64_t bytes = number_bytes;
    for (const Axis& axis : axes) bytes *= axis.size;
    file_bytes_ += bytes;
  }
};

}  // namespace

std::unique_ptr<Pattern> make_wrf(Options& options, World world) {
  std::array<int, 2> blocks{};
  MPI_Dims_create(world.size, 2, blocks.data());
  const std::int64_t ny = options.number("ny", 130, {blocks[0], 4096});
  const std::int64_t nx = options.number("nx", 190, {blocks[1], 4096});
  return std::make_unique<Wrf>(Grid{ny, nx, blocks[0], blocks[1]}, world);
}

}  // namespace collio::bench
