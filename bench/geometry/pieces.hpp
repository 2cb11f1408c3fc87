// Pieces of ranks in turn: large ones, small ones, or of sizes that a hash draws.
#pragma once

#include "geometry/block.hpp"
#include "options.hpp"

namespace collio::bench {

/// A well-mixed 64-bit number for each index (the finaliser of splitmix64).
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t value) noexcept {
  value += 0x9E3779B97F4A7C15u;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

/// Piece i of rank r lies behind piece i of rank r - 1. Sizes are hashes, so any rank can follow all of them.
struct PieceShape {
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

  /// Every rank's pieces in file order: visit(number of the piece, Extent); it is rank number mod ranks'.
  template <class Visit>
  void each(std::int64_t ranks, Visit visit) const {
    const auto total = static_cast<std::uint64_t>(pieces) * static_cast<std::uint64_t>(ranks);
    std::int64_t offset = 0;
    for (std::uint64_t index = 0; index < total; ++index) {
      const std::int64_t bytes = size(index);
      visit(index, Extent{offset, bytes});
      offset += bytes + hole(index);
    }
  }
};
/// Of --pieces, --size or --irregular with --min-size and --max-size, --gap and --seed.
[[nodiscard]] PieceShape piece_shape(Options& options);

/// Block i of rank r at (i * ranks + r) * size.
struct TurnBlocks {
  std::int64_t size;   // bytes
  std::int64_t count;  // per rank
};
/// Of --size and --pieces.
[[nodiscard]] TurnBlocks turn_blocks(Options& options);

}  // namespace collio::bench
