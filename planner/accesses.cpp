#include "planner/accesses.hpp"

#include <array>
#include <memory>
#include <ranges>
#include <utility>

#include "geometry/grids.hpp"
#include "geometry/map.hpp"
#include "geometry/pieces.hpp"

namespace collio::planner {
namespace {

using namespace bench;  // the geometry of its patterns

using core::Pattern;
using simulate::Job;

/// A block of an array that starts at byte `start` of the file. O(axes).
[[nodiscard]] Pattern block_pattern(std::span<const Axis> axes, std::int64_t element_bytes,
                                    std::int64_t start) {
  const Axis& fastest = axes.back();
  Pattern pattern = Pattern::contiguous(0, fastest.count * element_bytes);
  start += fastest.start * element_bytes;
  std::int64_t stride = fastest.size * element_bytes;
  for (const Axis& axis : axes.first(axes.size() - 1) | std::views::reverse) {
    start += axis.start * stride;
    pattern = pattern.repeated({axis.count, stride});
    stride *= axis.size;
  }
  return pattern.shifted(start);
}

Job make_btio(Options& options, int ranks) {
  const BtioCube cube = btio_cube(options, ranks);
  return {ranks, 1, {0, cube.bytes()}, [cube](int rank) {
            std::vector<Pattern> slabs;
            for (std::int64_t slab = 0; rank < cube.owners() && slab < cube.blocks; ++slab)
              slabs.push_back(block_pattern(cube.block(slab, rank), BtioCube::cell_bytes, 0));
            return slabs;
          }};
}

/// A variable of doubles in three dimensions, cut into a block for every rank (Liu, Zhou & Guo, J.
/// Optimization 2018): a variable of one component, as S3D has.
Job make_cube(Options& options, int ranks) {
  const auto [x, y, z] = three_factors(ranks);
  const std::int64_t n = options.number("n", 256, {x, 1 << 16});
  const S3dGrid grid{.points = {n, n, n}, .blocks = {z, y, x}};
  return {ranks, 1, {0, grid.field_bytes()}, [grid](int rank) {
            return std::vector{block_pattern(grid.block(1, rank), S3dGrid::number_bytes, 0)};
          }};
}

Job make_lattice4d(Options& options, int ranks) {
  const bench::Lattice sites = bench::lattice(options, ranks);
  return {ranks, 1, {0, sites.bytes()}, [sites](int rank) {
            return std::vector{block_pattern(sites.block(rank), sites.site_bytes, 0)};
          }};
}

/// One of the four calls, a variable each.
Job make_s3d(Options& options, int ranks) {
  const S3dGrid grid = s3d_grid(options, ranks);
  const auto call = static_cast<std::size_t>(options.number("call", 0, {0, 3}));
  std::int64_t start = 0;
  for (std::size_t before = 0; before < call; ++before)
    start += S3dGrid::components[before] * grid.field_bytes();
  const std::int64_t count = S3dGrid::components[call];
  return {ranks, 1, {start, count * grid.field_bytes()}, [=](int rank) {
            return std::vector{block_pattern(grid.block(count, rank), S3dGrid::number_bytes, start)};
          }};
}

/// The first call, or all blocks in one.
Job make_contiguous(Options& options, int ranks) {
  TurnBlocks blocks = turn_blocks(options);
  if (!options.flag("one-call")) blocks.count = 1;
  const std::int64_t turn = blocks.size * ranks;
  return {ranks, 1, {0, blocks.count * turn}, [=](int rank) {
            return std::vector{
                Pattern::contiguous(rank * blocks.size, blocks.size).repeated({blocks.count, turn})};
          }};
}

using Extents = std::vector<Extent>;  // in order of the file
using RankPatterns = std::vector<std::vector<Pattern>>;

[[nodiscard]] Pattern packed(const Extents& extents) {
  return Pattern(core::pack_runs([&](auto&& sink) {
    for (const Extent& extent : extents) sink(core::Extent{extent.offset, extent.length});
  }));
}

/// Ranks whose patterns are kept.
Job kept(RankPatterns patterns, std::int64_t bytes) {
  const int ranks = static_cast<int>(patterns.size());
  const auto shared = std::make_shared<const RankPatterns>(std::move(patterns));
  return {ranks, 1, {0, bytes}, [shared](int rank) { return (*shared)[static_cast<std::size_t>(rank)]; }};
}

Job listed(const std::vector<Extents>& extents, std::int64_t bytes) {
  RankPatterns patterns;
  for (const Extents& rank : extents) patterns.push_back({packed(rank)});
  return kept(std::move(patterns), bytes);
}

Job make_interleave(Options& options, int ranks) {
  const PieceShape shape = piece_shape(options);
  if (shape.regular()) {
    const std::int64_t turn = shape.least * ranks;
    return {ranks, 1, {0, shape.pieces * turn}, [=](int rank) {
              return std::vector{
                  Pattern::contiguous(rank * shape.least, shape.least).repeated({shape.pieces, turn})};
            }};
  }
  std::vector<Extents> extents(static_cast<std::size_t>(ranks));
  std::int64_t end = 0;
  shape.each(ranks, [&](std::uint64_t index, Extent extent) {
    extents[index % static_cast<std::uint64_t>(ranks)].push_back(extent);
    end = extent.offset + extent.length;
  });
  return listed(extents, end);
}

/// Every rank has one piece, of random length, behind that of the rank before (Tessier et al., COM-HPC 2016).
Job make_random(Options& options, int ranks) {
  const std::int64_t most = options.number("max-size", 2'000'000, {1, std::int64_t{1} << 40});
  const std::uint64_t seed =
      mix(static_cast<std::uint64_t>(options.number("seed", 1, {0, std::int64_t{1} << 62})));
  std::vector<Extents> extents(static_cast<std::size_t>(ranks));
  std::int64_t end = 0;
  for (std::size_t rank = 0; rank < extents.size(); ++rank) {
    const auto length = static_cast<std::int64_t>(mix(seed ^ rank) % static_cast<std::uint64_t>(most + 1));
    extents[rank].push_back({end, length});
    end += length;
  }
  return listed(extents, end);
}

/// Variables one behind the other: those of one decomposition are the same bytes at equal distances.
Job make_map(Options& options, int ranks, const MapDefaults& defaults) {
  const MapVariables given = map_variables(options, ranks, defaults);
  RankPatterns patterns(static_cast<std::size_t>(ranks));
  std::int64_t start = 0;
  for (std::size_t d = 0; d < given.counts.size(); ++d) {
    if (given.counts[d] == 0) continue;
    const auto index = static_cast<std::int64_t>(d), size = given.element_bytes;
    const std::int64_t variable = given.map->at(index).elements * size;
    for (std::size_t rank = 0; rank < patterns.size(); ++rank) {
      Extents extents;
      for (const e3sm_run& run : given.map->runs(index, static_cast<int>(rank)))
        extents.push_back({run.offset * size, run.length * size});
      if (!extents.empty())
        patterns[rank].push_back(packed(extents).repeated({given.counts[d], variable}).shifted(start));
    }
    start += given.counts[d] * variable;
  }
  return kept(std::move(patterns), start);
}

Job make_e3sm(Options& options, int ranks) { return make_map(options, ranks, e3sm_defaults()); }
Job make_mpas(Options& options, int ranks) { return make_map(options, ranks, mpas_defaults()); }

constexpr const char* map_options =
    "--map-binary FILE [--element-size 4|8] [--variables K|K1,K2,...] [--decomposition NAME]";

}  // namespace

std::span<const AccessEntry> access_table() {
  static constexpr std::array table{
      AccessEntry{"btio", "--n 102", make_btio},
      AccessEntry{"cube", "--n 256", make_cube},
      AccessEntry{"lattice4d", "--edge 8 --site 576", make_lattice4d},
      AccessEntry{"s3d", "--nx 80 --ny 80 --nz 80 [--call 0]", make_s3d},
      AccessEntry{
          "interleave",
          "--size 32 --pieces 100000 [--irregular [--min-size 8] [--max-size 64]] [--gap 0] [--seed 1]",
          make_interleave},
      AccessEntry{"contiguous", "--size 4MiB --pieces 8 [--one-call]", make_contiguous},
      AccessEntry{"random", "--max-size 2000000 --seed 1", make_random},
      AccessEntry{"e3sm", map_options, make_e3sm},
      AccessEntry{"mpas", map_options, make_mpas},
  };
  return table;
}

}  // namespace collio::planner
