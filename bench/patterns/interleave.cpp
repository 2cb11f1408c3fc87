// Block-cyclic pieces: piece i of rank r lies behind piece i of rank r - 1. Regular (all of one size, a
// vector filetype) or irregular (sizes drawn from a range by a hash of seed, piece and rank; an hindexed
// filetype), dense or with gaps.
#include <limits>

#include "patterns/patterns.hpp"

namespace collio::bench {
namespace {

/// A well-mixed 64-bit number for each index (the finaliser of splitmix64).
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t value) noexcept {
  value += 0x9E3779B97F4A7C15u;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

struct Shape {
  std::int64_t pieces;  // per rank
  std::int64_t least;   // bytes of a piece
  std::int64_t most;
  std::int64_t gap;  // largest hole behind a piece
  std::uint64_t seed;

  [[nodiscard]] bool regular() const { return least == most && gap == 0; }
  [[nodiscard]] std::int64_t size(std::uint64_t index) const {
    return least +
           static_cast<std::int64_t>(mix(seed ^ (2 * index)) % static_cast<std::uint64_t>(most - least + 1));
  }
  [[nodiscard]] std::int64_t hole(std::uint64_t index) const {
    return gap == 0
               ? 0
               : static_cast<std::int64_t>(mix(seed ^ (2 * index + 1)) % static_cast<std::uint64_t>(gap + 1));
  }
};

[[nodiscard]] Shape shape_of(Options& options) {
  constexpr Limits piece{1, std::int64_t{1} << 30};
  Shape shape{};
  shape.pieces = options.number("pieces", 100000, {1, std::numeric_limits<int>::max()});
  const bool irregular = options.flag("irregular");
  shape.least = irregular ? options.number("min-size", 8, piece) : options.number("size", 32, piece);
  shape.most = irregular ? options.number("max-size", 64, piece) : shape.least;
  if (shape.most < shape.least)
    throw UsageError("--max-size is " + std::to_string(shape.most) + "; allowed: --min-size (" +
                     std::to_string(shape.least) + ") or more");
  shape.gap = options.number("gap", 0, {0, std::int64_t{1} << 30});
  shape.seed = mix(
      static_cast<std::uint64_t>(options.number("seed", 1, {0, std::numeric_limits<std::int64_t>::max()})));
  return shape;
}

class Interleave final : public Pattern {
 public:
  Interleave(const Shape& shape, World world) : shape_(shape), world_(world) {
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
      each_piece([&](std::uint64_t, Extent extent) { sink(extent); });
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
    each_piece([&](std::uint64_t index, Extent extent) {
      file_bytes_ = extent.offset + extent.length;
      if (index % static_cast<std::uint64_t>(world_.size) != static_cast<std::uint64_t>(world_.rank)) return;
      irregular_.push_back(extent);
      bytes += extent.length;
    });
    filetype_ = hindexed_filetype(irregular_);
    call_ = {filetype_.get(), 0, bytes};
  }

  /// Every rank's pieces in file order; sizes are hashes, so any rank can follow all of them.
  template <class Visit>
  void each_piece(Visit visit) const {
    const auto total = static_cast<std::uint64_t>(shape_.pieces) * static_cast<std::uint64_t>(world_.size);
    std::int64_t offset = 0;
    for (std::uint64_t index = 0; index < total; ++index) {
      const std::int64_t size = shape_.size(index);
      visit(index, Extent{offset, size});
      offset += size + shape_.hole(index);
    }
  }

  Shape shape_;
  World world_;
  Datatype filetype_;
  std::vector<Extent> irregular_;
  Call call_;
  std::int64_t file_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Pattern> make_interleave(Options& options, World world) {
  return std::make_unique<Interleave>(shape_of(options), world);
}

}  // namespace collio::bench
