// NAS BT-IO, "full" variant: the solution of a block-tridiagonal solver, N x N x N grid cells of five
// doubles, written once per time step.
//
// The solver's diagonal multi-partition (Wong & Van der Wijngaart, "NAS Parallel Benchmarks I/O Version 2.4",
// NAS-03-002, 2003): s * s ranks cut the cube into s blocks along each axis, and every rank owns s blocks,
// one in each slab of z: rank i + s j has the block x = (i + k) mod s, y = (j - k) mod s of slab k. As in
// NPB, ranks beyond the largest square stay idle; here they take part in the calls with no bytes.
//
// As in NPB the view is set once, a struct of s subarrays as wide as a step of the file, and step k is
// written with an explicit offset to the view's k-th tile.
#include <cstdio>

#include "geometry/grids.hpp"
#include "patterns/dense.hpp"
#include "patterns/patterns.hpp"

namespace collio::bench {
namespace {

class Btio final : public DensePattern {
 public:
  Btio(const BtioCube& cube, World world) {
    file_bytes_ = cube.bytes();
    std::vector<Datatype> blocks;
    Call call{.tiled = true};
    if (world.rank < cube.owners())
      for (std::int64_t slab = 0; slab < cube.blocks; ++slab) {
        const auto axes = cube.block(slab, world.rank);
        blocks.push_back(subarray_type(axes, BtioCube::cell_bytes));
        append_block(axes, BtioCube::cell_bytes, 0, own_);
        call.bytes += block_bytes(axes, BtioCube::cell_bytes);
      }
    call.filetype = keep(blocks.empty() ? hindexed_filetype({}) : combined(blocks));
    calls_.push_back(call);
  }

 private:
  /// The blocks of a rank in one filetype.
  [[nodiscard]] static Datatype combined(const std::vector<Datatype>& blocks) {
    const std::vector<int> lengths(blocks.size(), 1);
    const std::vector<MPI_Aint> places(blocks.size(), 0);
    std::vector<MPI_Datatype> parts;
    for (const Datatype& part : blocks) parts.push_back(part.get());
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(static_cast<int>(parts.size()), lengths.data(), places.data(), parts.data(),
                           &type);
    return Datatype(type);
  }
};

}  // namespace

std::unique_ptr<Pattern> make_btio(Options& options, World world) {
  const BtioCube cube = btio_cube(options, world.size);
  const std::int64_t idle = world.size - cube.owners();
  if (idle > 0 && world.rank == 0)
    std::fprintf(stderr, "collio_bench: btio needs a square number of ranks; %lld of %d have no bytes\n",
                 static_cast<long long>(idle), world.size);
  return std::make_unique<Btio>(cube, world);
}

}  // namespace collio::bench
