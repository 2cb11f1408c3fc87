// HACC-IO, the checkpoint of a cosmology code (CORAL benchmarks; layouts as in Tessier, Vishwanath & Jeannot,
// "TAPIOCA: An I/O library for optimized topology-aware data aggregation on large-scale supercomputers",
// CLUSTER 2017): particles of 38 bytes, the same number on each rank, as an array of structures (one
// collective call, a rank's particles together) or as a structure of arrays (nine calls, one for each
// variable, its values together and in the order of the ranks), or in blocks (nine calls, too, with a rank's
// nine variables one behind the other in its block). Explicit offsets, no view.
#include <array>

#include "patterns/dense.hpp"
#include "patterns/patterns.hpp"

namespace collio::bench {
namespace {

/// xx, yy, zz, vx, vy, vz, phi: float; id: int64; mask: int16. A structure has no padding.
constexpr std::array<std::int64_t, 9> variable_bytes{4, 4, 4, 4, 4, 4, 4, 8, 2};
constexpr std::array<std::int64_t, 1> particle_bytes{38};

class Hacc final : public DensePattern {
 public:
  Hacc(std::int64_t particles, std::span<const std::int64_t> element_bytes, World world) {
    for (const std::int64_t size : element_bytes) {
      const std::int64_t bytes = particles * size;
      add_contiguous({file_bytes_ + world.rank * bytes, bytes});
      file_bytes_ += world.size * bytes;
    }
  }
};

class HaccBlocks final : public DensePattern {
 public:
  HaccBlocks(std::int64_t particles, World world) {
    const std::int64_t block_bytes = particles * particle_bytes[0];
    std::int64_t at = world.rank * block_bytes;
    for (const std::int64_t size : variable_bytes) {
      add_contiguous({at, particles * size});
      at += particles * size;
    }
    file_bytes_ = world.size * block_bytes;
  }
};

}  // namespace

std::unique_ptr<Pattern> make_hacc(Options& options, World world) {
  const std::int64_t particles = options.number("particles", 100000, {1, 1 << 26});
  const std::string layout = options.one_of("layout", {"aos", "soa", "blocks"});
  if (layout == "blocks") return std::make_unique<HaccBlocks>(particles, world);
  return std::make_unique<Hacc>(
      particles, layout == "aos" ? std::span<const std::int64_t>(particle_bytes) : variable_bytes, world);
}

}  // namespace collio::bench
