// Lists of numbers in a few bytes, where they are loops: rows of a box, every n-th element, a number again
// and again.
//
// A list becomes items: a first number with nested loops around it. Each level joins neighbours that have the
// same loops at one distance, greedily, so a box of d dimensions is one item however large, and a list
// without a rule takes about one number's bytes for each number. -1 stands for a hole and shares no loop with
// others.
//
// An item is: loops, first number less that of the item before, and for each loop, outermost first, its count
// and stride; all as varints, what may be negative by zigzag.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/pattern.hpp"

namespace collio::core {

inline constexpr std::int64_t index_hole = -1;

struct IndexItem {
  static constexpr int most_loops = 8;
  std::int64_t start = 0;
  int loops = 0;
  /// innermost first
  std::array<Loop, most_loops> loop{};

  [[nodiscard]] std::int64_t count() const noexcept;
};

/// Packs numbers of -1 and more.
class IndexPacker {
 public:
  /// O(1), amortized.
  void add(std::int64_t index) { join(0, {index, 0, {}}); }
  /// Once, at the end.
  [[nodiscard]] std::vector<std::uint8_t> finish();

 private:
  /// Items of a level that wait to become one with a loop around them.
  struct Level {
    IndexItem item;
    std::int64_t count = 0, stride = 0;
  };
  void join(int level, const IndexItem& item);
  void flush(int level);
  void write(const IndexItem& item);

  std::array<Level, IndexItem::most_loops> levels_;
  std::vector<std::uint8_t> bytes_;
  std::int64_t before_ = 0;
};

/// What read_indices() expects.
struct IndexLimits {
  /// numbers in the list
  std::int64_t elements;
  /// every number is -1, or 0 and more and below this
  std::int64_t below;
};

/// Appends numbers [from, to) of a packed list to `out`. False: it is no list within these limits. Reads all
/// of it: O(items + to - from).
[[nodiscard]] bool read_indices(std::span<const std::uint8_t> packed, const IndexLimits& limits,
                                std::int64_t from, std::int64_t to, std::vector<std::int64_t>& out);

/// Appends numbers [from, to) of an item. O(to - from).
void append_indices(const IndexItem& item, std::int64_t from, std::int64_t to,
                    std::vector<std::int64_t>& out);

}  // namespace collio::core
