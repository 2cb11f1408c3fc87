// Which pieces of memory go to which pieces of a file.
//
// A map keeps its pieces in the order of the file, whatever the order in memory: the engine moves ascending
// accesses. File bytes that come twice, as halos do, are in the access once; echoes say where else they go.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/cursor.hpp"

namespace collio::core {

/// `length` bytes at file offset `file` that are at `memory`.
struct MappedPiece {
  std::int64_t file = 0, memory = 0, length = 0;
};

/// Bytes at file offset `file` that the access has at memory `from`, and that another piece wants at `to`.
struct Echo {
  std::int64_t file = 0, from = 0, to = 0, length = 0;
};

/// File and memory have the same bytes in the same order. Copies share the lists of pieces.
struct PieceMap {
  /// ascending
  Pattern file;
  Pattern memory;
  /// in the order in which they are to be copied
  std::vector<Echo> echoes;

  [[nodiscard]] std::int64_t bytes() const noexcept { return file.bytes(); }
  /// O(loops + echoes).
  [[nodiscard]] PieceMap moved(std::int64_t in_file, std::int64_t in_memory) const;
  /// From elements to bytes. O(items).
  [[nodiscard]] PieceMap scaled(std::int64_t factor) const;
};

/// A map of pieces in any order. O(pieces), and a sort where they do not ascend in the file.
[[nodiscard]] PieceMap map_pieces(std::vector<MappedPiece> pieces);

namespace detail {

/// The pieces of a pattern one by one; part of a piece may be taken.
class PieceWalk {
 public:
  explicit PieceWalk(const Pattern& pattern) : cursor_(pattern) { load(); }
  [[nodiscard]] std::int64_t offset() const noexcept { return run_.offset + taken_; }
  [[nodiscard]] std::int64_t left() const noexcept { return run_.count == 0 ? 0 : run_.length - taken_; }
  void take(std::int64_t bytes) noexcept {
    taken_ += bytes;
    if (taken_ < run_.length) return;
    taken_ = 0;
    run_.offset += run_.stride;
    if (--run_.count == 0) load();
  }

 private:
  void load() noexcept {
    if (!cursor_.next_bytes(std::numeric_limits<std::int64_t>::max(), run_)) run_ = {};
  }
  Cursor cursor_;
  Run run_;
  std::int64_t taken_ = 0;
};

}  // namespace detail

/// Pieces of a map in file order, none longer than its neighbours in file and memory allow:
/// each(MappedPiece).
template <class Each>
void for_each_piece(const PieceMap& map, Each&& each) {
  detail::PieceWalk file(map.file), memory(map.memory);
  while (file.left() > 0) {
    const std::int64_t bytes = std::min(file.left(), memory.left());
    each(MappedPiece{file.offset(), memory.offset(), bytes});
    file.take(bytes);
    memory.take(bytes);
  }
}

/// A map with its origins at a file offset and a memory address.
struct PlacedMap {
  const PieceMap* map = nullptr;
  std::int64_t in_file = 0, in_memory = 0;

  [[nodiscard]] Extent span() const noexcept {
    return {in_file + map->file.low(), map->file.high() - map->file.low()};
  }
};

/// Several maps as one. O(1) for one map. Where each map lies behind the one before it in the file: a loop on
/// the side, file or memory, on which one map is repeated at one distance, plus its echoes; O(items) on the
/// other. Else O(pieces log maps), with 24 bytes a piece meanwhile.
[[nodiscard]] PieceMap join_maps(std::vector<PlacedMap> maps);

}  // namespace collio::core
