// Which blocks of regular grids ranks have: NAS BT-IO's cube, S3D-IO's variables and a lattice's sites
// (patterns/btio.cpp, patterns/s3d.cpp and patterns/lattice4d.cpp have the sources).
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

/// Sites of a four-dimensional lattice, cut into equal blocks, one a rank, x running fastest over the ranks.
struct Lattice {
  std::int64_t edge;  // sites of a block along each axis
  std::int64_t site_bytes;
  std::array<std::int64_t, 4> blocks;  // t, z, y, x; their product is the number of ranks

  [[nodiscard]] std::int64_t bytes() const {
    return edge * edge * edge * edge * site_bytes * blocks[0] * blocks[1] * blocks[2] * blocks[3];
  }
  /// A rank's block: t, z, y, x.
  [[nodiscard]] std::array<Axis, 4> block(std::int64_t rank) const;
};
/// Of --edge and --site.
[[nodiscard]] Lattice lattice(Options& options, std::int64_t ranks);

}  // namespace collio::bench
