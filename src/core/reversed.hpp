// Copies between memory and a row whose elements have their bytes in the other order, as numbers of portable
// files have them on a little-endian machine.
//
// Elements have 2, 4 or 8 bytes and lie at multiples of that in memory. A copy may begin and end inside of
// one: byte i of the row is the byte that has its place in the turned element.
#pragma once

#include <cstddef>
#include <cstdint>

namespace collio::core {

/// Whole elements; `to` may be `from`. O(bytes).
void turn_elements(std::byte* to, const std::byte* from, std::int64_t bytes, int element_bytes) noexcept;
/// `bytes` bytes at `memory` to `out`. O(bytes).
void gather_reversed(std::byte* out, const std::byte* memory, std::int64_t bytes, int element_bytes) noexcept;
/// `bytes` bytes at `in` to `memory`. O(bytes).
void scatter_reversed(std::byte* memory, const std::byte* in, std::int64_t bytes, int element_bytes) noexcept;

}  // namespace collio::core
