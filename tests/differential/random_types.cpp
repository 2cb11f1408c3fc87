#include "random_types.hpp"

#include <algorithm>
#include <utility>

namespace collio::differential {
namespace {

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return unit <= 0 ? value : (value + unit - 1) / unit * unit;
}

/// Greatest number of copies of `child` that fits, between 1 and `most`.
int copies(Random& random, const Type& child, std::int64_t limit_bytes, int most) {
  const std::int64_t fit = limit_bytes / std::max<std::int64_t>(1, child->shape.extent());
  return random.small(1, static_cast<int>(std::clamp<std::int64_t>(fit, 1, most)));
}

/// Ascending block list over slots of `slot` bytes (1 when displacements count extents).
Blocks ascending_blocks(Random& random, int n, bool overlap, bool plain) {
  Blocks out;
  std::int64_t at = plain || random.chance(50) ? 0 : random.between(0, 4);
  for (int i = 0; i < n; ++i) {
    const int length = overlap || (plain && i == 0) || random.chance(60)
                           ? 1
                           : random.small(!plain && random.chance(20) ? 0 : 1, 4);
    out.lengths.push_back(length);
    out.displacements.push_back(at);
    const bool repeat = overlap && random.chance(30);
    at += repeat ? 0 : length + (random.chance(35) ? 0 : random.between(0, 5));
  }
  return out;
}

/// `blocks` with displacements in child extents as bytes, each moved up by a few whole etypes so that they
/// are not multiples of the child's extent any more.
Blocks in_bytes(Random& random, Blocks blocks, const Type& child, std::int64_t etype_extent) {
  std::int64_t shift = 0;
  for (std::int64_t& displacement : blocks.displacements) {
    if (displacement > 0 && random.chance(30)) shift += etype_extent * random.between(0, 3);
    displacement = displacement * child->shape.extent() + shift;
  }
  return blocks;
}

Grid random_subarray_grid(Random& random, int most_elements, bool plain) {
  Grid grid;
  const int n = random.small(1, 4);
  int rest = std::max(1, most_elements);
  for (int i = 0; i < n; ++i) {
    Dimension d;
    d.size = random.small(1, std::min(6, rest));
    rest = std::max(1, rest / d.size);
    d.subsize = random.small(1, d.size);
    d.start = plain ? 0 : random.small(0, d.size - d.subsize);
    grid.dimensions.push_back(d);
  }
  grid.fortran_order = random.chance(50);
  return grid;
}

Type random_struct(Random& random, const Type& etype, const TypeLimits& limits) {
  const std::int64_t unit = etype->shape.extent();
  const int n = random.small(1, 3);
  TypeLimits inner = limits;
  inner.depth = limits.depth - 1;
  inner.extent_bytes = limits.extent_bytes / n;
  inner.overlap = false;
  if (limits.plain) inner.depth = 0;
  Blocks blocks;
  std::vector<Type> children;
  std::int64_t end = limits.plain || random.chance(50) ? 0 : unit * random.between(0, 4);
  for (int i = 0; i < n; ++i) {
    Type child = random_file_type(random, etype, inner);
    const int length = copies(random, child, inner.extent_bytes, 2);
    const std::int64_t at = std::max<std::int64_t>(0, round_up(end - child->shape.true_lb(), unit));
    blocks.lengths.push_back(length);
    blocks.displacements.push_back(at);
    end = at + (length - 1) * child->shape.extent() + child->shape.true_ub();
    end += random.chance(50) ? 0 : unit * random.between(0, 3);
    children.push_back(std::move(child));
  }
  Type type = structure(std::move(blocks), std::move(children));
  const std::int64_t lb = limits.plain || random.chance(60) ? 0 : round_up(type->shape.true_lb(), unit);
  return resized(lb, round_up(type->shape.true_ub() - std::min(lb, type->shape.true_lb()), unit), type);
}

Type random_resize(Random& random, const Type& child, std::int64_t unit, const TypeLimits& limits) {
  const Shape& shape = child->shape;
  const std::int64_t span = round_up(shape.true_ub() - shape.true_lb(), unit);
  std::int64_t lb = 0;
  if (!limits.plain) {
    if (random.chance(30)) lb = shape.true_lb() / unit * unit;
    if (random.chance(25)) lb = -unit * random.between(1, 6);
    if (random.chance(15)) lb = unit * random.between(1, 6);
  }
  std::int64_t extent = span + (random.chance(30) ? 0 : unit * random.between(0, 8));
  // Tiles may overlap as long as starts still ascend: the next copy begins no earlier than the last segment
  // of this one.
  if (limits.overlap && shape.segments.size() > 1 && random.chance(40))
    extent = std::max(
        unit,
        round_up(shape.segments.back().offset + shape.segments.back().length - shape.true_lb() - unit, unit));
  return resized(lb, extent, child);
}

/// Memory slots in random order: block i covers [start_i, start_i + length_i * extent) and no two overlap.
struct Slots {
  int n;
  std::int64_t slot;   ///< room one child takes
  std::int64_t grain;  ///< gaps are multiples of this
  bool plain;
};

Blocks scattered_blocks(Random& random, const Slots& slots) {
  const auto [n, slot, grain, plain] = slots;
  std::vector<int> lengths;
  std::vector<std::int64_t> starts;
  std::int64_t at = plain || random.chance(50) ? 0 : -slot * random.between(0, 8);
  for (int i = 0; i < n; ++i) {
    const int length =
        (plain && i == 0) || random.chance(60) ? 1 : random.small(!plain && random.chance(20) ? 0 : 1, 3);
    lengths.push_back(length);
    starts.push_back(at);
    at += slot * length + (random.chance(40) ? 0 : grain * random.between(0, 5));
  }
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < lengths.size(); ++i) order.push_back(i);
  if (!plain && random.chance(70)) random.shuffle(order);
  Blocks out;
  for (std::size_t i : order) {
    out.lengths.push_back(lengths[i]);
    out.displacements.push_back(starts[i]);
  }
  return out;
}

Type random_memory_type(Random& random, const Type& unit, int depth, const MemoryLimits& limits) {
  if (depth <= 0) return unit;
  const bool plain = limits.plain;
  const int draw = random.small(0, 8);
  const bool blocks = (draw >= 3 && draw <= 5) || draw == 7;
  const Type child =
      plain && blocks ? unit : random_memory_type(random, unit, depth - 1, {limits.bytes / 3, plain});
  const std::int64_t extent = child->shape.extent();
  const std::int64_t grain = std::max<std::int64_t>(
      1, any_node(child, [](const TypeNode& n) { return n.shape.size == 16; }) ? 8 : unit->shape.size);
  const int n = copies(random, child, limits.bytes, 6);
  switch (draw) {
    case 0:
      return contiguous(n, child);
    case 1: {
      const int block = random.small(1, 3);
      const int stride = block + random.small(0, 3);
      return vector(n, block, !plain && random.chance(25) ? -stride : stride, child);
    }
    case 2: {
      const int block = random.small(1, 2);
      const std::int64_t stride = block * extent + grain * random.between(0, 5);
      return hvector(n, block, !plain && random.chance(25) ? -stride : stride, child);
    }
    case 3:
      return indexed(scattered_blocks(random, {n, 1, 1, plain}), child);
    case 4:
      return hindexed(scattered_blocks(random, {n, extent, grain, plain}), child);
    case 5:
      return hindexed_block(1, scattered_blocks(random, {1, extent, grain, plain}).displacements, child);
    case 6:
      return subarray(random_subarray_grid(random, n * 3, plain), child);
    case 7: {
      Type type = structure(scattered_blocks(random, {n, extent, grain, plain}),
                            std::vector<Type>(static_cast<std::size_t>(n), child));
      return resized(type->shape.lb, type->shape.extent(), type);
    }
    default: {
      const std::int64_t span = child->shape.true_ub() - child->shape.true_lb();
      return resized(plain ? 0 : grain * random.between(-8, 8),
                     round_up(span, grain) + grain * random.between(0, 6), child);
    }
  }
}

}  // namespace

Type random_etype(Random& random, bool plain) {
  const int bytes = 1 << random.small(0, 4);
  const Type base = basic(bytes, random.small(0, 7));
  const int draw = random.small(0, 99);
  if (draw < 65 || (plain && draw >= 80)) return base;
  if (draw < 80) return contiguous(random.small(2, 3), base);
  if (draw < 88) return resized(0, bytes * random.between(2, 3), base);
  if (draw < 95) return vector(2, 1, 2, base);
  return resized(0, 3 * bytes, hindexed({{1}, {bytes}}, base));
}

Type packed_unit(const Type& etype) {
  Type leaf = etype;
  while (!leaf->children.empty()) leaf = leaf->children[0];
  const auto n = static_cast<int>(etype->shape.size / leaf->shape.size);
  return n == 1 ? leaf : contiguous(n, leaf);
}

Type random_file_type(Random& random, const Type& etype, const TypeLimits& limits) {
  if (limits.depth <= 0) return etype;
  const std::int64_t unit = etype->shape.extent();
  const int draw = random.small(0, 10);
  if (draw == 7) return random_struct(random, etype, limits);
  TypeLimits inner = limits;
  inner.depth = limits.depth - 1;
  inner.extent_bytes = limits.extent_bytes / 4;
  // Repeating a type whose own copies overlap would make starts descend: overlap only at the outermost level.
  inner.overlap = false;
  const bool of_blocks = draw >= 3 && draw <= 6;
  const Type child =
      random.chance(30) || (limits.plain && of_blocks) ? etype : random_file_type(random, etype, inner);
  const bool overlap = limits.overlap && child->kind == Kind::basic;
  const int n = copies(random, child, limits.extent_bytes, 8);
  switch (draw) {
    case 0:
      return contiguous(n, child);
    case 1: {
      const int block = random.small(1, 3);
      return vector(n, block, block + random.small(0, 4), child);
    }
    case 2: {
      const int block = random.small(1, 3);
      const bool still = overlap && random.chance(30);
      return still ? hvector(n, 1, 0, child)
                   : hvector(n, block, block * child->shape.extent() + unit * random.between(0, 6), child);
    }
    case 3:
      return indexed(ascending_blocks(random, n, overlap, limits.plain), child);
    case 4:
      return hindexed(in_bytes(random, ascending_blocks(random, n, overlap, limits.plain), child, unit),
                      child);
    case 5: {
      auto blocks = ascending_blocks(random, n, true, limits.plain);
      if (!overlap) {
        std::int64_t shift = 0;
        for (std::int64_t& displacement : blocks.displacements) displacement += shift++;
      }
      return indexed_block(1, std::move(blocks.displacements), child);
    }
    case 6: {
      Blocks blocks = ascending_blocks(random, n, false, limits.plain);
      for (std::size_t i = 0; i < blocks.displacements.size(); ++i)
        blocks.displacements[i] = blocks.displacements[i] * 2 + static_cast<std::int64_t>(i) * 2;
      blocks = in_bytes(random, std::move(blocks), child, unit);
      return hindexed_block(2, std::move(blocks.displacements), child);
    }
    case 8:
      return subarray(random_subarray_grid(random, n * 4, limits.plain), child);
    case 9:
      return dup(child);
    default: {
      TypeLimits resize = limits;
      resize.overlap = limits.overlap && etype->kind == Kind::basic;
      return random_resize(random, child, unit, resize);
    }
  }
}

MemoryShape random_memory(Random& random, const Type& unit, const MemoryLimits& limits) {
  const std::int64_t units = limits.bytes / unit->shape.size;
  if (units <= 0 || random.chance(6)) {
    const int draw = random.small(0, 3);
    if (draw == 0) return {contiguous(0, unit), random.small(0, 3)};
    if (draw == 1) return {indexed({{0, 0}, {3, 1}}, unit), random.small(0, 2)};
    return {unit, 0};
  }
  if (random.chance(30))
    return {unit, static_cast<int>(random.between(random.chance(50) ? units : 1, units))};
  if (!limits.plain && random.chance(10)) {
    // A transposition: tiles interleave, so the extent is smaller than the span.
    const auto columns = static_cast<int>(random.between(1, std::min<std::int64_t>(units, 12)));
    const auto rows = static_cast<int>(random.between(1, std::min<std::int64_t>(units / columns, 20)));
    return {resized(0, unit->shape.extent(), vector(rows, 1, columns, unit)), columns};
  }
  const Type type = random_memory_type(random, unit, random.small(1, 3),
                                       {std::min<std::int64_t>(limits.bytes, 2048), limits.plain});
  if (type->shape.size == 0) return {type, random.small(0, 2)};
  const std::int64_t fit = limits.bytes / type->shape.size;
  if (fit == 0) return {unit, static_cast<int>(random.between(0, units))};
  return {type, static_cast<int>(random.between(1, std::min<std::int64_t>(fit, 400)))};
}

}  // namespace collio::differential
