#include "geometry/pieces.hpp"

#include <limits>

namespace collio::bench {

PieceShape piece_shape(Options& options) {
  constexpr Limits piece{1, std::int64_t{1} << 30};
  PieceShape shape{};
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

TurnBlocks turn_blocks(Options& options) {
  const std::int64_t size = options.number("size", std::int64_t{4} << 20, {1, std::int64_t{1} << 30});
  return {.size = size, .count = options.number("pieces", 8, {1, 1 << 20})};
}

}  // namespace collio::bench
