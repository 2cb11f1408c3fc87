#include "patterns/block.hpp"

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

Datatype subarray_type(std::span<const Axis> axes, std::int64_t element_bytes) {
  std::vector<int> sizes;
  std::vector<int> counts;
  std::vector<int> starts;
  for (const Axis& axis : axes) {
    sizes.push_back(static_cast<int>(axis.size));
    counts.push_back(static_cast<int>(axis.count));
    starts.push_back(static_cast<int>(axis.start));
  }
  MPI_Datatype element = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(element_bytes), MPI_BYTE, &element);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(static_cast<int>(axes.size()), sizes.data(), counts.data(), starts.data(),
                           MPI_ORDER_C, element, &type);
  MPI_Type_free(&element);
  return Datatype(type);
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
