// Bytes as a row of elements whose sizes differ, and their bytes in the other order: between the order of a
// little-endian machine and that of portable files. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace collio::core {

/// The elements of a row of bytes, without gaps. Lengths in bytes.
struct Elements {
  std::int64_t bytes = 0;
  /// of each element, where all are as long; else 0, and parts tell
  int element_bytes = 0;
  /// one behind the other
  std::vector<Elements> parts;
  /// how often each part comes
  std::vector<std::int64_t> counts;
};

/// `count` rows one behind the other. O(1), besides the copy of a row whose elements differ.
[[nodiscard]] Elements repeated(Elements row, std::int64_t count);
/// Rows one behind the other. O(rows).
[[nodiscard]] Elements joined(std::vector<Elements> rows);

/// Turns around the bytes of each element of `data`, which is rows one behind the other, and may end in one.
/// An element that is not there as a whole stays as it is. O(bytes).
void reverse_elements(const Elements& row, std::span<std::byte> data) noexcept;

}  // namespace collio::core
