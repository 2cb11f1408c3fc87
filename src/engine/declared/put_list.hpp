// What a rank has put into a file since its last commit, as one access.
//
// A program puts the same variables in every step: the access of a step is that of an earlier one, moved.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/piece_map.hpp"

namespace collio::engine {

/// Data for one variable: its map, with the array at file offset `in_file` and the block at address
/// `in_memory`.
struct Put {
  std::shared_ptr<const core::PieceMap> map;
  std::int64_t in_file = 0, in_memory = 0;
};

/// One thread at a time. Not collective.
class PutList {
 public:
  /// lists of puts
  static constexpr std::size_t most_remembered = 4;

  void add(Put put) { puts_.push_back(std::move(put)); }
  [[nodiscard]] bool empty() const noexcept { return puts_.empty(); }
  void clear() noexcept { puts_.clear(); }
  /// All puts as one map, and none is left. O(puts) for a list that was joined before, wherever it lay then;
  /// else as core::join_maps(). Throws std::bad_alloc, and the puts stay.
  [[nodiscard]] core::PieceMap take();
  /// Remembers up to `lists` lists, and most_remembered at least.
  void remember(std::size_t lists) { remember_ = std::max(lists, most_remembered); }

 private:
  struct Joined {
    std::vector<Put> puts;
    core::PieceMap map;
  };
  /// Puts of the same maps at the same distances.
  [[nodiscard]] static bool alike(const std::vector<Put>& a, const std::vector<Put>& b) noexcept;
  std::vector<Put> puts_;
  std::size_t remember_ = most_remembered;
  /// latest last
  std::vector<Joined> remembered_;
};

}  // namespace collio::engine
