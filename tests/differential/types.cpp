// The typemap model: which bytes a recipe covers, in order (MPI 4.0, section 5.1).
#include "types.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace collio::differential {
namespace {

/// Collects copies of child shapes into one shape: bounds are the least and greatest of the copies' bounds.
class ShapeBuilder {
 public:
  void add(const Shape& child, std::int64_t at) {
    for (const Segment& segment : child.segments) append({segment.offset + at, segment.length});
    lb_ = std::min(lb_, child.lb + at);
    ub_ = std::max(ub_, child.ub + at);
    shape_.size += child.size;
    any_ = true;
  }

  void add_block(const Shape& child, std::int64_t at, int copies) {
    for (int i = 0; i < copies; ++i) add(child, at + i * child.extent());
  }

  [[nodiscard]] Shape finish() {
    if (any_) {
      shape_.lb = lb_;
      shape_.ub = ub_;
    }
    return std::move(shape_);
  }

 private:
  void append(Segment segment) {
    if (segment.length == 0) return;
    auto& list = shape_.segments;
    if (!list.empty() && list.back().offset + list.back().length == segment.offset)
      list.back().length += segment.length;
    else
      list.push_back(segment);
  }

  Shape shape_;
  std::int64_t lb_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t ub_ = std::numeric_limits<std::int64_t>::min();
  bool any_ = false;
};

struct Basic {
  int bytes;
  const char* name;
};

constexpr Basic basics[] = {{1, "MPI_BYTE"},     {1, "MPI_CHAR"},    {2, "MPI_SHORT"},
                            {2, "MPI_UINT16_T"}, {4, "MPI_INT"},     {4, "MPI_FLOAT"},
                            {8, "MPI_DOUBLE"},   {8, "MPI_INT64_T"}, {16, "MPI_C_DOUBLE_COMPLEX"}};

TypeNode node_of(Kind kind, Type child) {
  TypeNode node;
  node.kind = kind;
  node.children.push_back(std::move(child));
  return node;
}

Type shared(TypeNode node) { return std::make_shared<const TypeNode>(std::move(node)); }

/// Linear positions in the whole array of the cartesian product of `owned`, in the storage order of the
/// array.
std::vector<std::int64_t> product_positions(const TypeNode& node,
                                            const std::vector<std::vector<int>>& owned) {
  const std::size_t n = owned.size();
  // order[0] is the slowest dimension.
  std::vector<std::size_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = node.fortran_order ? n - 1 - i : i;
  std::vector<std::int64_t> positions{0};
  for (std::size_t dimension : order) {
    std::vector<std::int64_t> next;
    next.reserve(positions.size() * owned[dimension].size());
    for (std::int64_t position : positions)
      for (int index : owned[dimension]) next.push_back(position * node.dimensions[dimension].size + index);
    positions = std::move(next);
  }
  return positions;
}

Shape array_shape(const TypeNode& node, const std::vector<std::vector<int>>& owned) {
  const Shape& child = node.children[0]->shape;
  ShapeBuilder builder;
  for (std::int64_t position : product_positions(node, owned)) builder.add(child, position * child.extent());
  Shape shape = builder.finish();
  std::int64_t elements = 1;
  for (const Dimension& dimension : node.dimensions) elements *= dimension.size;
  shape.lb = 0;
  shape.ub = elements * child.extent();
  return shape;
}

}  // namespace

std::int64_t Shape::true_lb() const noexcept {
  std::int64_t low = segments.empty() ? 0 : std::numeric_limits<std::int64_t>::max();
  for (const Segment& segment : segments) low = std::min(low, segment.offset);
  return low;
}

std::int64_t Shape::true_ub() const noexcept {
  std::int64_t high = segments.empty() ? 0 : std::numeric_limits<std::int64_t>::min();
  for (const Segment& segment : segments) high = std::max(high, segment.offset + segment.length);
  return high;
}

Type basic(int bytes, int variant) {
  std::vector<int> fitting;
  for (int i = 0; i < static_cast<int>(std::size(basics)); ++i)
    if (basics[i].bytes == bytes) fitting.push_back(i);
  assert(!fitting.empty());
  TypeNode node;
  node.basic_index = fitting[static_cast<std::size_t>(variant) % fitting.size()];
  node.shape = Shape{{{0, bytes}}, 0, bytes, bytes};
  return shared(std::move(node));
}

const char* predefined_name(int basic_index) { return basics[basic_index].name; }

Type contiguous(int count, Type child) {
  TypeNode node = node_of(Kind::contiguous, std::move(child));
  node.count = count;
  ShapeBuilder builder;
  builder.add_block(node.children[0]->shape, 0, count);
  node.shape = builder.finish();
  return shared(std::move(node));
}

Type vector(int count, int block, int stride, Type child) {
  const std::int64_t extent = child->shape.extent();
  TypeNode node = *hvector(count, block, stride * extent, std::move(child));
  node.kind = Kind::vector;
  node.stride = stride;
  return shared(std::move(node));
}

Type hvector(int count, int block, std::int64_t stride_bytes, Type child) {
  TypeNode node = node_of(Kind::hvector, std::move(child));
  node.count = count;
  node.block = block;
  node.stride = stride_bytes;
  ShapeBuilder builder;
  for (int i = 0; i < count; ++i) builder.add_block(node.children[0]->shape, i * stride_bytes, block);
  node.shape = builder.finish();
  return shared(std::move(node));
}

Type indexed(Blocks blocks, Type child) {
  const std::int64_t extent = child->shape.extent();
  Blocks in_bytes = blocks;
  for (std::int64_t& displacement : in_bytes.displacements) displacement *= extent;
  TypeNode node = *hindexed(std::move(in_bytes), std::move(child));
  node.kind = Kind::indexed;
  node.displacements = std::move(blocks.displacements);
  return shared(std::move(node));
}

Type hindexed(Blocks blocks, Type child) {
  TypeNode node = node_of(Kind::hindexed, std::move(child));
  ShapeBuilder builder;
  for (std::size_t i = 0; i < blocks.lengths.size(); ++i)
    builder.add_block(node.children[0]->shape, blocks.displacements[i], blocks.lengths[i]);
  node.blocks = std::move(blocks.lengths);
  node.displacements = std::move(blocks.displacements);
  node.shape = builder.finish();
  return shared(std::move(node));
}

Type indexed_block(int block, std::vector<std::int64_t> displacements, Type child) {
  std::vector<int> lengths(displacements.size(), block);
  TypeNode node = *indexed({std::move(lengths), std::move(displacements)}, std::move(child));
  node.kind = Kind::indexed_block;
  node.block = block;
  return shared(std::move(node));
}

Type hindexed_block(int block, std::vector<std::int64_t> displacements, Type child) {
  std::vector<int> lengths(displacements.size(), block);
  TypeNode node = *hindexed({std::move(lengths), std::move(displacements)}, std::move(child));
  node.kind = Kind::hindexed_block;
  node.block = block;
  return shared(std::move(node));
}

Type structure(Blocks blocks, std::vector<Type> children) {
  TypeNode node;
  node.kind = Kind::structure;
  node.children = std::move(children);
  ShapeBuilder builder;
  for (std::size_t i = 0; i < blocks.lengths.size(); ++i)
    builder.add_block(node.children[i]->shape, blocks.displacements[i], blocks.lengths[i]);
  node.blocks = std::move(blocks.lengths);
  node.displacements = std::move(blocks.displacements);
  node.shape = builder.finish();
  return shared(std::move(node));
}

Type subarray(Grid grid, Type child) {
  TypeNode node = node_of(Kind::subarray, std::move(child));
  node.dimensions = std::move(grid.dimensions);
  node.fortran_order = grid.fortran_order;
  std::vector<std::vector<int>> owned;
  for (const Dimension& dimension : node.dimensions) {
    std::vector<int> indices;
    for (int i = 0; i < dimension.subsize; ++i) indices.push_back(dimension.start + i);
    owned.push_back(std::move(indices));
  }
  node.shape = array_shape(node, owned);
  return shared(std::move(node));
}

std::vector<int> owned_indices(const Dimension& dimension, int coordinate) {
  std::vector<int> indices;
  const bool cyclic = dimension.distribution == Distribution::cyclic;
  const int fallback = cyclic ? 1 : (dimension.size + dimension.processes - 1) / dimension.processes;
  const int block = dimension.argument > 0 ? dimension.argument : fallback;
  for (int i = 0; i < dimension.size; ++i) {
    const bool mine = dimension.distribution == Distribution::none ||
                      (cyclic ? (i / block) % dimension.processes : i / block) == coordinate;
    if (mine) indices.push_back(i);
  }
  return indices;
}

Type darray(Grid grid, Type child) {
  TypeNode node = node_of(Kind::darray, std::move(child));
  node.dimensions = std::move(grid.dimensions);
  node.fortran_order = grid.fortran_order;
  node.darray_rank = grid.darray_rank;
  // The process grid is row-major whatever the array's order (MPI 4.0, section 5.1.4).
  std::vector<std::vector<int>> owned(node.dimensions.size());
  int rest = node.darray_rank;
  for (std::size_t i = node.dimensions.size(); i-- > 0;) {
    owned[i] = owned_indices(node.dimensions[i], rest % node.dimensions[i].processes);
    rest /= node.dimensions[i].processes;
  }
  node.shape = array_shape(node, owned);
  return shared(std::move(node));
}

Type resized(std::int64_t lb, std::int64_t extent, Type child) {
  TypeNode node = node_of(Kind::resized, std::move(child));
  node.lb = lb;
  node.extent = extent;
  node.shape = node.children[0]->shape;
  node.shape.lb = lb;
  node.shape.ub = lb + extent;
  return shared(std::move(node));
}

Type dup(Type child) {
  TypeNode node = node_of(Kind::dup, std::move(child));
  node.shape = node.children[0]->shape;
  return shared(std::move(node));
}

}  // namespace collio::differential
