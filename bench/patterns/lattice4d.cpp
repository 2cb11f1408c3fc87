// A field of a lattice QCD program, as Grid writes it (github.com/pmodels/mpich/issues/7935): a 4-D array of
// sites in the order of their coordinates, x fastest, cut into equal blocks, one a rank. One collective call
// through a subarray view. Blocks keep their size as ranks are added.
#include "geometry/grids.hpp"
#include "patterns/dense.hpp"
#include "patterns/patterns.hpp"

namespace collio::bench {
namespace {

class Lattice4d final : public DensePattern {
 public:
  Lattice4d(const Lattice& lattice, World world) {
    const std::array<Axis, 4> block = lattice.block(world.rank);
    append_block(block, lattice.site_bytes, 0, own_);
    calls_.push_back({.filetype = keep(subarray_type(block, lattice.site_bytes)),
                      .bytes = block_bytes(block, lattice.site_bytes)});
    file_bytes_ = lattice.bytes();
  }
};

}  // namespace

std::unique_ptr<Pattern> make_lattice4d(Options& options, World world) {
  return std::make_unique<Lattice4d>(lattice(options, world.size), world);
}

}  // namespace collio::bench
