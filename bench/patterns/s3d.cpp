// S3D-IO: the checkpoint of a combustion solver (Chen et al., Computational Science & Discovery 2, 2009; I/O
// kernel by Liao et al.). A regular grid of nx x ny x nz points, cut into px x py x pz blocks, one a rank, x
// running fastest over the ranks. Four variables of doubles lie one behind the other, components slowest:
//
//   mass [11][nz][ny][nx]   velocity [3][nz][ny][nx]   pressure [nz][ny][nx]   temperature [nz][ny][nx]
//
// Each is one collective call through a subarray view of its own, as a program with blocking PnetCDF calls
// makes it.
#include <array>

#include "patterns/block.hpp"
#include "patterns/dense.hpp"
#include "patterns/patterns.hpp"

namespace collio::bench {
namespace {

constexpr std::int64_t number_bytes = sizeof(double);
constexpr std::array<std::int64_t, 4> components{11, 3, 1, 1};

struct Grid {
  std::array<std::int64_t, 3> points;  // z, y, x
  std::array<std::int64_t, 3> blocks;  // z, y, x; their product is the number of ranks
};

class S3d final : public DensePattern {
 public:
  S3d(const Grid& grid, World world) {
    const auto [pz, py, px] = grid.blocks;
    const Axis x = even_part(grid.points[2], {world.rank % px, px});
    const Axis y = even_part(grid.points[1], {world.rank / px % py, py});
    const Axis z = even_part(grid.points[0], {world.rank / (px * py), pz});
    const std::int64_t field_bytes = x.size * y.size * z.size * number_bytes;
    for (const std::int64_t count : components) {
      const std::array<Axis, 4> block{Axis{count, 0, count}, z, y, x};
      const auto axes = std::span(block).subspan(count == 1 ? 1 : 0);
      append_block(axes, number_bytes, file_bytes_, own_);
      calls_.push_back(
          {keep(subarray_type(axes, number_bytes)), file_bytes_, block_bytes(axes, number_bytes)});
      file_bytes_ += count * field_bytes;
    }
  }
};

}  // namespace

std::unique_ptr<Pattern> make_s3d(Options& options, World world) {
  std::array<int, 3> blocks{};  // MPI_Dims_create: the largest first, and that is x
  MPI_Dims_create(world.size, 3, blocks.data());
  const auto [px, py, pz] = blocks;
  const std::int64_t nx = options.number("nx", 80, {px, 4096});
  const std::int64_t ny = options.number("ny", 80, {py, 4096});
  const std::int64_t nz = options.number("nz", 80, {pz, 4096});
  return std::make_unique<S3d>(Grid{.points = {nz, ny, nx}, .blocks = {pz, py, px}}, world);
}

}  // namespace collio::bench
