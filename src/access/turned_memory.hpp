// Buffers whose numbers are in a file in the other byte order: they are turned around where they are copied
// anyway, between the buffer and a message or window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/extent.hpp"

namespace collio::access {

/// Ranges of memory, each with elements of 1, 2, 4 or 8 bytes at multiples of that. Never changes.
class TurnedMemory {
 public:
  struct Range {
    /// addresses
    std::int64_t begin = 0, end = 0;
    int element_bytes = 1;
  };

  /// Null: no element has more than one byte. `ranges`: of all bytes that will be copied, in any order. False
  /// in `fits`: two that overlap have different elements, or one does not begin at a multiple. Throws
  /// std::bad_alloc. O(ranges log ranges).
  [[nodiscard]] static std::shared_ptr<const TurnedMemory> of(std::vector<Range> ranges, bool& fits);

  /// Copies the pieces of `run`, whose offsets are addresses, turned, to consecutive bytes at `out`. Returns
  /// their end.
  std::byte* gather_run(std::byte* out, const core::Run& run) const noexcept;
  /// The reverse.
  const std::byte* scatter_run(const core::Run& run, const std::byte* in) const noexcept;

 private:
  explicit TurnedMemory(std::vector<Range> ranges) : ranges_(std::move(ranges)) {}
  /// part(address, bytes, element bytes) for each part of a piece whose elements are alike.
  template <class Part>
  void for_each_part(std::int64_t address, std::int64_t bytes, Part&& part) const noexcept;

  /// ascending; neighbours with the same elements are one
  std::vector<Range> ranges_;
};

}  // namespace collio::access
