// Block-cyclic pieces: piece i of rank r lies behind piece i of rank r - 1. Regular (all of one size, a
// vector filetype) or irregular (sizes drawn from a range by a hash of seed, piece and rank; an hindexed
// filetype), dense or with gaps.
#include "geometry/pieces.hpp"
#include "patterns/patterns.hpp"

namespace collio::bench {
namespace {

class Interleave final : public Pattern {
 public:
  Interleave(const PieceShape& shape, World world) : shape_(shape), world_(world) {
    if (shape_.regular())
      make_regular();
    else
      make_irregular();
  }

  std::span<const Call> calls() const override { return {&call_, 1}; }
  std::int64_t pieces() const override { return shape_.pieces; }
  std::int64_t file_bytes() const override { return file_bytes_; }

  void own_extents(const ExtentSink& sink) const override {
    for (const Extent& extent : irregular_) sink(extent);
    if (shape_.regular())
      for (std::int64_t i = 0; i < shape_.pieces; ++i)
        sink({(i * world_.size + world_.rank) * shape_.least, shape_.least});
  }

  void all_extents(const ExtentSink& sink) const override {
    if (shape_.gap == 0)
      sink({0, file_bytes_});
    else
      shape_.each(world_.size, [&](std::uint64_t, Extent extent) { sink(extent); });
  }

 private:
  void make_regular() {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_hvector(static_cast<int>(shape_.pieces), static_cast<int>(shape_.least),
                            static_cast<MPI_Aint>(shape_.least * world_.size), MPI_BYTE, &type);
    filetype_ = Datatype(type);
    call_ = {filetype_.get(), world_.rank * shape_.least, shape_.pieces * shape_.least};
    file_bytes_ = call_.bytes * world_.size;
  }

  void make_irregular() {
    irregular_.reserve(static_cast<std::size_t>(shape_.pieces));
    std::int64_t bytes = 0;
    shape_.each(world_.size, [&](std::uint64_t index, Extent extent) {
      file_bytes_ = extent.offset + extent.length;
      if (index % static_cast<std::uint64_t>(world_.size) != static_cast<std::uint64_t>(world_.rank)) return;
      irregular_.push_back(extent);
      bytes += extent.length;
    });
    filetype_ = hindexed_filetype(irregular_);
    call_ = {filetype_.get(), 0, bytes};
  }

  PieceShape shape_;
  World world_;
  Datatype filetype_;
  std::vector<Extent> irregular_;
  Call call_;
  std::int64_t file_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Pattern> make_interleave(Options& options, World world) {
  return std::make_unique<Interleave>(piece_shape(options), world);
}

}  // namespace collio::bench
