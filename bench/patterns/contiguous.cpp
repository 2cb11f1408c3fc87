// Large blocks, ranks in turn: block i of rank r at (i * ranks + r) * size. What a good program does already;
// here a collective engine can only lose, and must not. One call per block, or all blocks in one call through
// a vector view.
#include "geometry/pieces.hpp"
#include "patterns/patterns.hpp"

namespace collio::bench {
namespace {

class Contiguous final : public Pattern {
 public:
  Contiguous(TurnBlocks blocks, bool one_call, World world)
      : size_(blocks.size), count_(blocks.count), world_(world) {
    if (!one_call) {
      for (std::int64_t i = 0; i < count_; ++i) calls_.push_back({MPI_DATATYPE_NULL, place(i), size_});
      return;
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_hvector(static_cast<int>(count_), static_cast<int>(size_),
                            static_cast<MPI_Aint>(size_ * world.size), MPI_BYTE, &type);
    filetype_ = Datatype(type);
    calls_.push_back({filetype_.get(), place(0), count_ * size_});
  }

  std::span<const Call> calls() const override { return calls_; }
  std::int64_t pieces() const override { return count_; }
  std::int64_t file_bytes() const override { return count_ * size_ * world_.size; }
  void own_extents(const ExtentSink& sink) const override {
    for (std::int64_t i = 0; i < count_; ++i) sink({place(i), size_});
  }
  void all_extents(const ExtentSink& sink) const override { sink({0, file_bytes()}); }

 private:
  [[nodiscard]] std::int64_t place(std::int64_t block) const {
    return (block * world_.size + world_.rank) * size_;
  }

  std::int64_t size_;
  std::int64_t count_;
  World world_;
  Datatype filetype_;
  std::vector<Call> calls_;
};

}  // namespace

std::unique_ptr<Pattern> make_contiguous(Options& options, World world) {
  const TurnBlocks blocks = turn_blocks(options);
  return std::make_unique<Contiguous>(blocks, options.flag("one-call"), world);
}

}  // namespace collio::bench
