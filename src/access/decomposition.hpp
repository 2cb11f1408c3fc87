// Which elements of an array a rank has, and which bytes of a file and of memory these are.
//
// Elements of an array are numbered from 0, the last dimension being the fastest; so are those of the rank's
// own block.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "core/piece_map.hpp"
#include "core/result.hpp"

namespace collio::access {

/// Where the elements of a block are in memory: element (i0, i1, ...) at i0*strides[0] + i1*strides[1] + ...
/// bytes. No dimensions: one after the other.
struct BlockLayout {
  std::vector<std::int64_t> counts, strides;
  [[nodiscard]] bool contiguous() const noexcept { return counts.empty(); }
  friend auto operator<=>(const BlockLayout&, const BlockLayout&) = default;
};

/// Never changes; it keeps the lists it made for earlier calls. One thread at a time.
class Decomposition {
 public:
  using Numbers = std::span<const std::int64_t>;
  using Made = core::Result<std::shared_ptr<const Decomposition>>;
  struct Box {
    std::vector<std::int64_t> start, count;
  };
  /// core::Pattern has a loop for each, and one for variables
  static constexpr std::size_t most_dims = 7;

  /// `count[d]` elements from `start[d]` on in each dimension of an array. O(dims).
  [[nodiscard]] static Made box(Numbers shape, Numbers start, Numbers count);
  /// Element i of the block is element `map[i]` of the array; -1: it is not in the array. O(elements), with a
  /// sort where they do not ascend.
  [[nodiscard]] static Made map(Numbers shape, Numbers map);

  /// Of the block, those that are not in the array included.
  [[nodiscard]] std::int64_t elements() const noexcept { return elements_; }
  /// Of the array.
  [[nodiscard]] std::int64_t array_elements() const noexcept { return array_elements_; }
  [[nodiscard]] const std::vector<std::int64_t>& shape() const noexcept { return shape_; }
  /// Start and count by dimension; null: it was made by map().
  [[nodiscard]] const Box* as_box() const noexcept { return box_ ? &*box_ : nullptr; }
  /// From the first element of the array that the block has to behind the last one, and how many it has;
  /// those that come twice count once.
  struct Place {
    std::int64_t first = 0, end = 0, count = 0;
  };
  [[nodiscard]] Place place() const noexcept {
    const core::Pattern& pattern = elements_of_.file;
    return pattern.bytes() == 0 ? Place{} : Place{pattern.low(), pattern.high(), pattern.bytes()};
  }
  /// The map that makes the same decomposition: of each element of the block, which of the array it is, or
  /// -1. O(elements).
  [[nodiscard]] std::vector<std::int64_t> indices() const;
  /// The bytes for elements of `element_bytes` bytes, in a file relative to the array's first byte, in memory
  /// to the block's. Kept for the next time. Error `argument`: the layout has another number of elements.
  /// O(items) at first; O(elements) where the layout is not contiguous and the block no box.
  [[nodiscard]] core::Result<std::shared_ptr<const core::PieceMap>> bytes(std::int64_t element_bytes,
                                                                          const BlockLayout& layout) const;

 private:
  Decomposition() = default;
  [[nodiscard]] core::Pattern memory_of(std::int64_t element_bytes, const BlockLayout& layout) const;
  [[nodiscard]] std::vector<core::Echo> echoes_of(std::int64_t element_bytes,
                                                  const BlockLayout& layout) const;
  /// in elements
  core::PieceMap elements_of_;
  std::int64_t elements_ = 0, array_elements_ = 0;
  std::vector<std::int64_t> shape_;
  std::optional<Box> box_;
  mutable std::map<std::tuple<std::int64_t, BlockLayout>, std::shared_ptr<const core::PieceMap>> kept_;
};

}  // namespace collio::access
