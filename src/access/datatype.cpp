// See datatype.hpp. One small function per family of constructors.
#include "access/datatype.hpp"

#include <limits>
#include <mutex>

#include "access/darray.hpp"
#include "access/mpi_life.hpp"
#include "access/type_contents.hpp"
#include "core/cursor.hpp"

namespace collio::access {

namespace {

using core::Pattern;
using core::Run;

core::Error unknown(const std::string& what) { return {core::ErrorClass::type, what}; }

/// Calls sink(run) for every run of `pattern` moved by `distance`.
template <class Sink>
void emit(const Pattern& pattern, std::int64_t distance, Sink&& sink) {
  core::Cursor cursor(pattern);
  for (Run run; cursor.next_bytes(std::numeric_limits<std::int64_t>::max(), run);) {
    run.offset += distance;
    sink(run);
  }
}

/// Predefined types. The pair types of MINLOC and MAXLOC may have a gap before or after their int.
Pattern named_pattern(MPI_Datatype type, std::int64_t extent) {
  int size = 0;
  MPI_Type_size(type, &size);
  if (size == 0) return {};
  if (size == extent) return Pattern::contiguous(0, size);
  const std::int64_t value = size - static_cast<std::int64_t>(sizeof(int));
  const std::int64_t index_at = (value + 3) / 4 * 4;
  return Pattern(core::pack_runs([&](auto&& sink) {
    sink(Run{0, value, value, 1});
    sink(Run{index_at, sizeof(int), sizeof(int), 1});
  }));
}

Pattern vector_pattern(const TypeLayout& child, const TypeContents& c, std::int64_t stride) {
  return child.pattern.repeated({c.integer(1), child.extent}).repeated({c.integer(0), stride});
}

/// Blocks at listed displacements: indexed, hindexed, indexed_block, hindexed_block.
template <class Length, class Displacement>
Pattern blocks_pattern(const TypeLayout& child, std::int64_t n, Length&& length,
                       Displacement&& displacement) {
  const bool dense = child.pattern.contiguous() && child.size() == child.extent;
  if (dense) {
    const std::int64_t low = child.pattern.low();
    return Pattern(core::pack_runs([&](auto&& sink) {
      for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t bytes = length(i) * child.extent;
        sink(core::Extent{displacement(i) + low, bytes});
      }
    }));
  }
  return Pattern(core::pack_runs([&](auto&& sink) {
    for (std::int64_t i = 0; i < n; ++i)
      emit(child.pattern.repeated({length(i), child.extent}), displacement(i), sink);
  }));
}

Pattern listed_pattern(const TypeLayout& child, const TypeContents& c) {
  const std::int64_t n = c.integer(0);
  const auto un = static_cast<std::size_t>(n);
  const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  const auto own_length = [&](std::int64_t i) { return c.integer(1 + at(i)); };
  const auto same_length = [&](std::int64_t) { return c.integer(1); };
  switch (c.combiner()) {
    case MPI_COMBINER_INDEXED:
      return blocks_pattern(child, n, own_length,
                            [&](std::int64_t i) { return c.integer(1 + un + at(i)) * child.extent; });
    case MPI_COMBINER_INDEXED_BLOCK:
      return blocks_pattern(child, n, same_length,
                            [&](std::int64_t i) { return c.integer(2 + at(i)) * child.extent; });
    case MPI_COMBINER_HINDEXED_BLOCK:
      return blocks_pattern(child, n, same_length, [&](std::int64_t i) { return c.address(at(i), 2); });
    default:
      break;
  }
  if (c.large())
    return blocks_pattern(child, n, own_length, [&](std::int64_t i) { return c.address(at(i), 1 + un); });
  // The form irregular programs use, with up to millions of blocks: plain arrays.
  const int* lengths = c.ints().data() + 1;
  const MPI_Aint* displacements = c.addresses().data();
  return blocks_pattern(
      child, n, [=](std::int64_t i) { return std::int64_t{lengths[i]}; },
      [=](std::int64_t i) { return std::int64_t{displacements[i]}; });
}

core::Result<Pattern> struct_pattern(const TypeContents& c) {
  const auto n = static_cast<std::size_t>(c.integer(0));
  std::vector<Layout> fields(n);
  std::size_t filled = 0, last_filled = 0;
  for (std::size_t i = 0; i < n; ++i) {
    auto field = layout_of(c.types()[i]);
    if (!field) return field.error();
    fields[i] = field.value();
    if (fields[i]->size() * c.integer(1 + i) > 0) ++filled, last_filled = i;
  }
  const auto part = [&](std::size_t i) {
    return fields[i]->pattern.repeated({c.integer(1 + i), fields[i]->extent});
  };
  if (filled == 0) return Pattern();
  if (filled == 1) return part(last_filled).shifted(c.address(last_filled, 1 + n));
  return Pattern(core::pack_runs([&](auto&& sink) {
    for (std::size_t i = 0; i < n; ++i) emit(part(i), c.address(i, 1 + n), sink);
  }));
}

Pattern subarray_pattern(const TypeLayout& child, const TypeContents& c) {
  const auto n = static_cast<std::size_t>(c.small(0));
  const bool large = c.large();
  const auto value = [&](std::size_t group, std::size_t i) {
    return large ? c.count(group * n + i) : std::int64_t{c.small(1 + group * n + i)};
  };
  const int order = large ? c.small(1) : c.small(1 + 3 * n);
  Pattern p = child.pattern;
  std::int64_t stride = child.extent, start = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = order == MPI_ORDER_FORTRAN ? k : n - 1 - k;
    p = p.repeated({value(1, i), stride});
    start += value(2, i) * stride;
    stride *= value(0, i);
  }
  return p.shifted(start);
}

core::Result<Pattern> derived_pattern(MPI_Datatype type) {
  auto read = TypeContents::of(type);
  if (!read) return read.error();
  const TypeContents& c = read.value();
  if (c.combiner() == MPI_COMBINER_STRUCT) return struct_pattern(c);
  if (c.types().empty()) {
    MPI_Aint lb = 0, extent = 0;
    MPI_Type_get_extent(type, &lb, &extent);
    return named_pattern(type, extent);
  }
  auto child_layout = layout_of(c.types()[0]);
  if (!child_layout) return child_layout.error();
  const TypeLayout& child = *child_layout.value();
  switch (c.combiner()) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
      return child.pattern;
    case MPI_COMBINER_CONTIGUOUS:
      return child.pattern.repeated({c.integer(0), child.extent});
    case MPI_COMBINER_VECTOR:
      return vector_pattern(child, c, c.integer(2) * child.extent);
    case MPI_COMBINER_HVECTOR:
      return vector_pattern(child, c, c.address(0, 2));
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
      return listed_pattern(child, c);
    case MPI_COMBINER_SUBARRAY:
      return subarray_pattern(child, c);
    case MPI_COMBINER_DARRAY:
      return darray_pattern(child, c);
    default:
      return unknown("datatype constructor " + std::to_string(c.combiner()) + " is not known to collio");
  }
}

int copy_attribute(MPI_Datatype, int, void*, void* in, void* out, int* flag) {
  *static_cast<void**>(out) = new Layout(*static_cast<Layout*>(in));
  *flag = 1;
  return MPI_SUCCESS;
}

int delete_attribute(MPI_Datatype, int, void* value, void*) {
  delete static_cast<Layout*>(value);
  return MPI_SUCCESS;
}

/// Under the lock of all attributes.
int layout_keyval() {
  static int key = MPI_KEYVAL_INVALID;
  static std::uint64_t life = 0;  // of MPI, in which it was made
  if (life != mpi_life()) MPI_Type_create_keyval(copy_attribute, delete_attribute, &key, nullptr);
  life = mpi_life();
  return key;
}

/// Null: not described before.
Layout known_layout(MPI_Datatype type) {
  void* found = nullptr;
  int flag = 0;
  MPI_Type_get_attr(type, layout_keyval(), &found, &flag);
  return flag ? *static_cast<Layout*>(found) : Layout();
}

}  // namespace

core::Result<Layout> layout_of(MPI_Datatype type) {
  const bool kept = mpi_stays();
  static std::mutex mutex;  // of all attributes: setting one frees the layout that another thread has found
                            // and is about to copy
  if (kept) {
    const std::lock_guard lock(mutex);
    if (Layout known = known_layout(type)) return known;
  }
  auto pattern = derived_pattern(type);
  if (!pattern) return pattern.error();
  MPI_Aint lb = 0, extent = 0;
  MPI_Type_get_extent(type, &lb, &extent);
  auto layout = std::make_shared<const TypeLayout>(TypeLayout{std::move(pattern.value()), lb, extent});
  if (!kept) return layout;
  auto attribute = std::make_unique<Layout>(layout);
  const std::lock_guard lock(mutex);
  if (Layout known = known_layout(type)) return known;  // another thread was sooner
  if (MPI_Type_set_attr(type, layout_keyval(), attribute.get()) == MPI_SUCCESS)
    static_cast<void>(attribute.release());
  return Layout(layout);
}

}  // namespace collio::access
