// S3D-IO: the checkpoint of a combustion solver (Chen et al., Computational Science & Discovery 2, 2009; I/O
// kernel by Liao et al.). A regular grid of nx x ny x nz points, cut into px x py x pz blocks, one a rank, x
// running fastest over the ranks. Four variables of doubles lie one behind the other, components slowest:
//
//   mass [11][nz][ny][nx]   velocity [3][nz][ny][nx]   pressure [nz][ny][nx]   temperature [nz][ny][nx]
//
// Each is one collective call through a subarray view of its own, as a program with blocking PnetCDF calls
// makes it.
#include "geometry/grids.hpp"
#include "patterns/patterns.hpp"

namespace collio::bench {
namespace {

class S3d final : public Pattern {
 public:
  S3d(const S3dGrid& grid, World world) {
    for (const std::int64_t count : S3dGrid::components) {
      const std::vector<Axis> axes = grid.block(count, world.rank);
      filetypes_.push_back(subarray_filetype(axes, S3dGrid::number_bytes));
      append_block(axes, S3dGrid::number_bytes, file_bytes_, own_);
      calls_.push_back({filetypes_.back().get(), file_bytes_, block_bytes(axes, S3dGrid::number_bytes)});
      file_bytes_ += count * grid.field_bytes();
    }
  }

  std::span<const Call> calls() const override { return calls_; }
  std::int64_t pieces() const override { return static_cast<std::int64_t>(own_.size()); }
  std::int64_t file_bytes() const override { return file_bytes_; }
  void own_extents(const ExtentSink& sink) const override {
    for (const Extent& extent : own_) sink(extent);
  }
  void all_extents(const ExtentSink& sink) const override { sink({0, file_bytes_}); }

 private:
  std::vector<Datatype> filetypes_;
  std::vector<Call> calls_;
  std::vector<Extent> own_;
  std::int64_t file_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Pattern> make_s3d(Options& options, World world) {
  return std::make_unique<S3d>(s3d_grid(options, world.size), world);
}

}  // namespace collio::bench
