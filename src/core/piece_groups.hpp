// Pieces of an access that are cheaper to move together, with the holes between them, than by a call each.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cursor.hpp"
#include "core/extent.hpp"

namespace collio::core {

/// Consecutive pieces, ascending if there are several.
struct PieceGroup {
  std::vector<Run> runs;
  /// first to last byte
  Extent span;
  /// of the pieces
  std::int64_t bytes = 0;
  /// data byte of the access at which they begin
  std::int64_t stream = 0;

  /// More than one piece: there are holes.
  [[nodiscard]] bool several() const noexcept {
    return runs.size() > 1 || (!runs.empty() && runs.front().count > 1);
  }
  /// Data bytes of the pieces that lie before `offset`.
  [[nodiscard]] std::int64_t bytes_before(std::int64_t offset) const noexcept;
};

class PieceGroups {
 public:
  struct Limits {
    /// longer pieces are cut
    std::int64_t piece_bytes = 0;
    /// of a group
    std::int64_t span_bytes = 0;
    /// bytes that take as long to move as a call does; 0: no groups
    std::int64_t call_bytes = 0;
    /// how often a group's bytes are moved; those of a piece alone: once
    int moves = 2;
  };
  /// The next `bytes` bytes of the access at `cursor`, which outlives this.
  PieceGroups(Cursor& cursor, std::int64_t bytes, const Limits& limits) noexcept
      : cursor_(&cursor), end_(cursor.stream() + bytes), limits_(limits) {}

  /// False: none are left. O(runs); a group has at most `most_runs` of them.
  bool next(PieceGroup& group);

 private:
  static constexpr std::size_t most_runs = 4096;

  bool load() noexcept;
  [[nodiscard]] bool together(std::int64_t hole, std::int64_t length) const noexcept;
  [[nodiscard]] bool joins(const PieceGroup& group) const noexcept;
  [[nodiscard]] std::int64_t pieces_that_fit(const Extent& span) const noexcept;

  Cursor* cursor_;
  std::int64_t end_;
  Limits limits_;
  /// loaded and in no group yet
  Run rest_;
};

}  // namespace collio::core
