// S3D-IO: the checkpoint of a combustion solver (Chen et al., Computational Science & Discovery 2, 2009; I/O
// kernel by Liao et al.). A regular grid of nx x ny x nz points, cut into px x py x pz blocks, one a rank, x
// running fastest over the ranks. Four variables of doubles lie one behind the other, components slowest:
//
//   mass [11][nz][ny][nx]   velocity [3][nz][ny][nx]   pressure [nz][ny][nx]   temperature [nz][ny][nx]
//
// Each is one collective call through a subarray view of its own, as a program with blocking PnetCDF calls
// makes it.
#include "geometry/grids.hpp"
#include "patterns/dense.hpp"
#include "patterns/patterns.hpp"

namespace collio::bench {
namespace {

class S3d final : public DensePattern {
 public:
  S3d(const S3dGrid& grid, World world) {
    for (const std::int64_t count : S3dGrid::components) {
      const std::vector<Axis> axes = grid.block(count, world.rank);
      append_block(axes, S3dGrid::number_bytes, file_bytes_, own_);
      calls_.push_back({keep(subarray_type(axes, S3dGrid::number_bytes)), file_bytes_,
                        block_bytes(axes, S3dGrid::number_bytes)});
      file_bytes_ += count * grid.field_bytes();
    }
  }
};

}  // namespace

std::unique_ptr<Pattern> make_s3d(Options& options, World world) {
  return std::make_unique<S3d>(s3d_grid(options, world.size), world);
}

}  // namespace collio::bench
