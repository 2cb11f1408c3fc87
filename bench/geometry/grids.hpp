// Which blocks of regular grids ranks have: NAS BT-IO's cube and S3D-IO's variables (patterns/btio.cpp and
// patterns/s3d.cpp have the sources).
#pragma once

#include <array>
#include <vector>

#include "geometry/block.hpp"
#include "options.hpp"

namespace collio::bench {

/// s * s ranks cut the cube into s blocks along each axis, and every rank owns s blocks, one in each slab of
/// z: rank i + s j has the block x = (i + k) mod s, y = (j - k) mod s of slab k. Ranks beyond the largest
/// square have none.
struct BtioCube {
  static constexpr std::int64_t cell_bytes = 5 * sizeof(double);

  std::int64_t cells;   // along an edge
  std::int64_t blocks;  // along an edge; their square is the number of owners

  [[nodiscard]] std::int64_t owners() const { return blocks * blocks; }
  [[nodiscard]] std::int64_t bytes() const { return cells * cells * cells * cell_bytes; }
  /// The block of an owner in a slab: z, y, x.
  [[nodiscard]] std::array<Axis, 3> block(std::int64_t slab, std::int64_t rank) const;
};
/// Of --n.
[[nodiscard]] BtioCube btio_cube(Options& options, std::int64_t ranks);

/// A grid of nx x ny x nz points, cut into px x py x pz blocks, one a rank, x running fastest over the ranks.
/// Four variables of doubles lie one behind the other, components slowest.
struct S3dGrid {
  static constexpr std::int64_t number_bytes = sizeof(double);
  static constexpr std::array<std::int64_t, 4> components{11, 3, 1, 1};

  std::array<std::int64_t, 3> points;  // z, y, x
  std::array<std::int64_t, 3> blocks;  // z, y, x; their product is the number of ranks

  /// Bytes of one component.
  [[nodiscard]] std::int64_t field_bytes() const { return points[0] * points[1] * points[2] * number_bytes; }
  /// A rank's block of a variable with `components` components: those (if several), z, y, x.
  [[nodiscard]] std::vector<Axis> block(std::int64_t count, std::int64_t rank) const;
};
/// Of --nx, --ny and --nz.
[[nodiscard]] S3dGrid s3d_grid(Options& options, std::int64_t ranks);

}  // namespace collio::bench
