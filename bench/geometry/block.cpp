#include "geometry/block.hpp"

#include <algorithm>

namespace collio::bench {
namespace {

void append_joined(Extent extent, std::vector<Extent>& extents) {
  if (!extents.empty() && extents.back().offset + extents.back().length == extent.offset)
    extents.back().length += extent.length;
  else
    extents.push_back(extent);
}

}  // namespace

Axis even_part(std::int64_t size, Part part) {
  const std::int64_t least = size / part.of;
  const std::int64_t longer = size % part.of;
  return {size, part.index * least + std::min(part.index, longer), least + (part.index < longer ? 1 : 0)};
}

std::array<std::int64_t, 3> three_factors(std::int64_t ranks) {
  std::array<std::int64_t, 3> best{ranks, 1, 1};
  for (std::int64_t least = 1; least * least * least <= ranks; ++least) {
    if (ranks % least != 0) continue;
    const std::int64_t others = ranks / least;
    for (std::int64_t middle = least; middle * middle <= others; ++middle)
      if (others % middle == 0 && others / middle - least < best[0] - best[2])
        best = {others / middle, middle, least};
  }
  return best;
}

void append_block(std::span<const Axis> axes, std::int64_t element_bytes, std::int64_t start,
                  std::vector<Extent>& extents) {
  if (axes.empty()) return append_joined({start, element_bytes}, extents);
  const Axis& slowest = axes.front();
  const std::span<const Axis> rest = axes.subspan(1);
  std::int64_t stride = element_bytes;
  for (const Axis& axis : rest) stride *= axis.size;
  const std::int64_t first = start + slowest.start * stride;
  const bool whole = std::ranges::all_of(rest, [](const Axis& axis) { return axis.count == axis.size; });
  if (whole) return append_joined({first, slowest.count * stride}, extents);
  for (std::int64_t i = 0; i < slowest.count; ++i)
    append_block(rest, element_bytes, first + i * stride, extents);
}

std::int64_t block_bytes(std::span<const Axis> axes, std::int64_t element_bytes) {
  std::int64_t bytes = element_bytes;
  for (const Axis& axis : axes) bytes *= axis.count;
  return bytes;
}

}  // namespace collio::bench
