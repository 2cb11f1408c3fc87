// A stretch of a file of which only some pieces are to be written.
#pragma once

#include <cstddef>

#include "core/extent.hpp"
#include "core/packed_extents.hpp"

namespace collio::storage {

struct PieceWrite {
  core::Extent span;
  const std::byte* data = nullptr;    ///< of the span's first byte
  const core::PackedExtents& pieces;  ///< disjoint, ascending, inside the span

  /// Puts the pieces, and no other byte, into `to`, which holds the span from its first byte on.
  void copy_to(std::byte* to) const noexcept;
};

}  // namespace collio::storage
