// A stretch of a file of which only some pieces are to be written.
#pragma once

#include <cstddef>
#include <functional>

#include "core/extent.hpp"
#include "core/packed_extents.hpp"

namespace collio::storage {

struct PieceWrite {
  core::Extent span;
  /// of the span's first byte
  const std::byte* data = nullptr;
  /// disjoint, ascending, inside the span
  const core::PackedExtents& pieces;

  /// Puts the pieces, and no other byte, into `to`, which holds the span from its first byte on.
  void copy_to(std::byte* to) const noexcept;
};

/// Calls a sink with every piece of a stretch, ascending; pieces are disjoint and do not touch.
using EachPiece = std::function<void(const std::function<void(const core::Extent&)>&)>;

/// Pieces that may go to the file with the holes between them.
struct WholeWrite {
  core::Extent span;
  /// of the span's first byte; its holes are filled in
  std::byte* data = nullptr;
  const EachPiece& each_piece;
  /// also where the file has bytes there, which are read first
  bool pays_with_old = false;
  /// for the old bytes of the span; null: there is no memory
  std::function<std::byte*()> room;

  /// Calls sink(Extent) for every stretch of the span between pieces, ascending.
  template <class Sink>
  void for_each_hole(Sink&& sink) const {
    std::int64_t at = span.offset;
    each_piece([&](const core::Extent& piece) {
      if (piece.offset > at) sink(core::Extent{at, piece.offset - at});
      at = piece.end();
    });
    if (span.end() > at) sink(core::Extent{at, span.end() - at});
  }
};

}  // namespace collio::storage
