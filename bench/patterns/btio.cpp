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
#include "patterns/patterns.hpp"

namespace collio::bench {
namespace {

class Btio final : public Pattern {
 public:
  Btio(const BtioCube& cube, World world) : cube_(cube) {
    std::vector<Datatype> blocks;
    if (world.rank < cube.owners())
      for (std::int64_t slab = 0; slab < cube.blocks; ++slab) {
        const auto axes = cube.block(slab, world.rank);
        blocks.push_back(subarray_filetype(axes, BtioCube::cell_bytes));
        append_block(axes, BtioCube::cell_bytes, 0, own_);
        call_.bytes += block_bytes(axes, BtioCube::cell_bytes);
      }
    filetype_ = blocks.empty() ? hindexed_filetype({}) : combined(blocks);
    call_.filetype = filetype_.get();
    call_.tiled = true;
  }

  std::span<const Call> calls() const override { return {&call_, 1}; }
  std::int64_t pieces() const override { return static_cast<std::int64_t>(own_.size()); }
  std::int64_t file_bytes() const override { return cube_.bytes(); }
  void own_extents(const ExtentSink& sink) const override {
    for (const Extent& extent : own_) sink(extent);
  }
  void all_extents(const ExtentSink& sink) const override { sink({0, file_bytes()}); }

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

  BtioCube cube_;
  std::vector<Extent> own_;
  Datatype filetype_;
  Call call_;
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
