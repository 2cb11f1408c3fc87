// A block of a regular array, as programs on structured grids have it, and its runs in the file. Arrays are
// row-major, slowest axis first.
//
// bench/geometry knows no MPI: it says which bytes of the file a rank has. The patterns make datatypes of it,
// the planner core's patterns.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace collio::bench {

struct Extent {
  std::int64_t offset;  // bytes from the start of the file
  std::int64_t length;  // bytes
};

/// The part of one axis that a block takes, in elements.
struct Axis {
  std::int64_t size;   // of the array
  std::int64_t start;  // of the block
  std::int64_t count;  // of the block, 1 or more
};

/// Which of several parts.
struct Part {
  std::int64_t index;
  std::int64_t of;
};

/// One of nearly equal parts of an axis; the first ones are longer by one element where it does not divide.
[[nodiscard]] Axis even_part(std::int64_t size, Part part);

/// Numbers of parts of each of three axes, the most first, as nearly equal as factors of `ranks` can be.
[[nodiscard]] std::array<std::int64_t, 3> three_factors(std::int64_t ranks);

/// Append the block's runs to `extents`, joining what touches; the array starts at byte `start` of the file.
void append_block(std::span<const Axis> axes, std::int64_t element_bytes, std::int64_t start,
                  std::vector<Extent>& extents);

/// Bytes of a block.
[[nodiscard]] std::int64_t block_bytes(std::span<const Axis> axes, std::int64_t element_bytes);

}  // namespace collio::bench
