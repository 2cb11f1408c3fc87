#include "geometry/grids.hpp"

#include <algorithm>
#include <functional>
#include <ranges>

namespace collio::bench {
namespace {

/// Numbers of parts of each of four axes, the most first: every prime factor, the largest first, goes to the
/// axis with fewest parts.
[[nodiscard]] std::array<std::int64_t, 4> four_factors(std::int64_t ranks) {
  std::vector<std::int64_t> primes;
  for (std::int64_t prime = 2; ranks > 1; ++prime)
    for (; ranks % prime == 0; ranks /= prime) primes.push_back(prime);
  std::array<std::int64_t, 4> parts{1, 1, 1, 1};
  for (const std::int64_t prime : primes | std::views::reverse) *std::ranges::min_element(parts) *= prime;
  std::ranges::sort(parts, std::greater());
  return parts;
}

/// Edge of the largest square of ranks.
[[nodiscard]] std::int64_t square_root(std::int64_t ranks) {
  std::int64_t root = 1;
  while ((root + 1) * (root + 1) <= ranks) ++root;
  return root;
}

}  // namespace

std::array<Axis, 3> BtioCube::block(std::int64_t slab, std::int64_t rank) const {
  const std::int64_t s = blocks;
  const auto part = [&](std::int64_t index) { return even_part(cells, {index % s, s}); };
  return {part(slab), part(rank / s + s - slab), part(rank + slab)};
}

BtioCube btio_cube(Options& options, std::int64_t ranks) {
  const std::int64_t blocks = square_root(ranks);
  return {.cells = options.number("n", 102, {blocks, 4096}), .blocks = blocks};
}

std::vector<Axis> S3dGrid::block(std::int64_t count, std::int64_t rank) const {
  const auto [pz, py, px] = blocks;
  std::vector<Axis> axes{even_part(points[0], {rank / (px * py), pz}),
                         even_part(points[1], {rank / px % py, py}), even_part(points[2], {rank % px, px})};
  if (count > 1) axes.insert(axes.begin(), Axis{count, 0, count});
  return axes;
}

S3dGrid s3d_grid(Options& options, std::int64_t ranks) {
  const auto [px, py, pz] = three_factors(ranks);
  const std::int64_t nx = options.number("nx", 80, {px, 4096});
  const std::int64_t ny = options.number("ny", 80, {py, 4096});
  const std::int64_t nz = options.number("nz", 80, {pz, 4096});
  return {.points = {nz, ny, nx}, .blocks = {pz, py, px}};
}

std::array<Axis, 4> Lattice::block(std::int64_t rank) const {
  std::array<Axis, 4> axes{};
  for (std::size_t axis = axes.size(); axis-- > 0; rank /= blocks[axis])
    axes[axis] = {edge * blocks[axis], edge * (rank % blocks[axis]), edge};
  return axes;
}

Lattice lattice(Options& options, std::int64_t ranks) {
  return {.edge = options.number("edge", 8, {1, 256}),
          .site_bytes = options.number("site", 576, {1, 1 << 20}),
          .blocks = four_factors(ranks)};
}

}  // namespace collio::bench
