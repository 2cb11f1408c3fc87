// mpi-tile-io (Ross, Parallel I/O Benchmarking Consortium): a dense 2-D array cut into tiles, one a rank, as
// the displays of a tiled wall have it. Rank r has tile (r mod tiles_x, r / tiles_x); x runs fastest in the
// file. One collective call through a subarray view. Elements of 256 bytes and of 1 MiB are those of Feki &
// Gabriel, "On overlapping communication and file I/O in collective write operation", IPDPSW 2020. Tiles
// do not overlap.
#include <array>

#include "patterns/dense.hpp"
#include "patterns/patterns.hpp"

namespace collio::bench {
namespace {

struct Tiling {
  std::int64_t tiles_x;
  std::int64_t tiles_y;
  std::int64_t tile_x;  // elements
  std::int64_t tile_y;
  std::int64_t element_bytes;
};

class Tile final : public DensePattern {
 public:
  Tile(const Tiling& tiling, World world) {
    const Axis x = even_part(tiling.tiles_x * tiling.tile_x, {world.rank % tiling.tiles_x, tiling.tiles_x});
    const Axis y = even_part(tiling.tiles_y * tiling.tile_y, {world.rank / tiling.tiles_x, tiling.tiles_y});
    const std::array<Axis, 2> axes{y, x};
    const std::int64_t bytes = block_bytes(axes, tiling.element_bytes);
    append_block(axes, tiling.element_bytes, 0, own_);
    calls_.push_back({.filetype = keep(subarray_type(axes, tiling.element_bytes)), .bytes = bytes});
    file_bytes_ = bytes * world.size;
  }
};

}  // namespace

std::unique_ptr<Pattern> make_tile(Options& options, World world) {
  std::array<int, 2> grid{};
  MPI_Dims_create(world.size, 2, grid.data());
  Tiling tiling{};
  tiling.element_bytes = options.number("element-size", 256, {1, std::int64_t{64} << 20});
  tiling.tiles_x = options.number("tiles-x", grid[0], {1, world.size});
  tiling.tiles_y = world.size / tiling.tiles_x;
  if (tiling.tiles_x * tiling.tiles_y != world.size)
    throw UsageError("--tiles-x is " + std::to_string(tiling.tiles_x) + "; allowed: divisors of the " +
                     std::to_string(world.size) + " ranks");
  tiling.tile_x = options.number("tile-x", 128, {1, 1 << 16});
  tiling.tile_y = options.number("tile-y", 128, {1, 1 << 16});
  return std::make_unique<Tile>(tiling, world);
}

}  // namespace collio::bench
