// HACC-IO, the checkpoint of a cosmology code (CORAL benchmarks; layouts as in Tessier, Vishwanath & Jeannot,
// "TAPIOCA: An I/O library for optimized topology-aware data aggregation on large-scale supercomputers",
// CLUSTER 2017): particles of 38 bytes, the same number on each rank, as an array of structures (one
// collective call, a rank's particles together) or as a structure of arrays (nine calls, one for each
// variable, its values together and in the order of the ranks). Explicit offsets, no view.
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

}  // namespace

std::unique_ptr<Pattern> make_hacc(Options& options, World world) {
  const std::int64_t particles = options.number("particles", 100000, {1, 1 << 26});
  const bool structures = options.one_of("layout", {"aos", "soa"}) == "aos";
  return std::make_unique<Hacc>(
      particles, structures ? std::span<const std::int64_t>(particle_bytes) : variable_bytes, world);
}

}  // namespace collio::bench
