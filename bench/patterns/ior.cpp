// IOR, shared file (Shan, Antypas & Shalf, "Characterizing and predicting the I/O performance of HPC
// applications using a parameterized synthetic benchmark", SC'08; github.com/hpc/ior): segments, each with
// one block of every rank in turn, and blocks of several transfers. As with IOR's `-a MPIIO -c`, every
// transfer is one collective call with an explicit offset and no view.
#include "patterns/dense.hpp"
#include "patterns/patterns.hpp"

namespace collio::bench {
namespace {

struct Layout {
  std::int64_t transfer;  // bytes
  std::int64_t block;     // bytes, a multiple of `transfer`
  std::int64_t segments;
};

class Ior final : public DensePattern {
 public:
  Ior(const Layout& layout, World world) {
    file_bytes_ = layout.segments * layout.block * world.size;
    for (std::int64_t segment = 0; segment < layout.segments; ++segment)
      for (std::int64_t at = 0; at < layout.block; at += layout.transfer)
        add_contiguous({(segment * world.size + world.rank) * layout.block + at, layout.transfer});
  }
};

}  // namespace

std::unique_ptr<Pattern> make_ior(Options& options, World world) {
  Layout layout{};
  layout.transfer = options.number("transfer", std::int64_t{256} << 10, {1, std::int64_t{1} << 30});
  layout.block = options.number("block", std::int64_t{1} << 20, {layout.transfer, std::int64_t{1} << 34});
  layout.segments = options.number("segments", 4, {1, 1 << 20});
  if (layout.block % layout.transfer != 0)
    throw UsageError("--block is " + std::to_string(layout.block) + "; allowed: multiples of --transfer (" +
                     std::to_string(layout.transfer) + ")");
  return std::make_unique<Ior>(layout, world);
}

}  // namespace collio::bench
