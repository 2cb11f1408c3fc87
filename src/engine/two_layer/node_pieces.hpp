// One rank's pieces in the windows of a call, copied between the user's memory and a slot.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "engine/two_layer/node_windows.hpp"
#include "transport/messages/message_parts.hpp"

namespace collio::engine {

/// Walks an access window by window, in any order of windows. One cursor, no list.
class NodePieces {
 public:
  explicit NodePieces(CollectiveCall& call);
  ~NodePieces();
  NodePieces(const NodePieces&) = delete;
  NodePieces& operator=(const NodePieces&) = delete;

  /// Goes to the first piece in the window; false when this rank has none there. O(loops + log items).
  bool seek(const NodeWindow& window) noexcept;
  /// Copies the pieces to their places in the slot and books them there. After seek(). O(pieces).
  void place(const NodeWindow& window, bool in_mask);
  /// Appends them to those that are packed there: list and bytes, or of a read the list alone. Returns where
  /// this rank's bytes come to be in the answer. Leaves them out where there is no room. After seek().
  std::int64_t pack(const NodeWindow& window, bool with_data);
  /// Marks in the slot's mask which pieces are wanted. After seek().
  void mark(const NodeWindow& window);
  /// Copies the pieces below `end_of_file` from the slot to the user's memory; returns their bytes. After
  /// seek().
  std::int64_t collect(const NodeWindow& window, std::int64_t end_of_file);
  /// The same of packed ones.
  std::int64_t collect_packed(const NodeWindow& window, std::int64_t end_of_file);

 private:
  /// What placing and marking find out.
  struct Sums {
    core::TilingSum sum;
    /// of the last piece
    std::int64_t end = 0;
  };
  /// Describes them in `room`. False: they do not fit.
  [[nodiscard]] bool list(std::span<std::byte> room, std::int64_t origin, transport::PartHead& head,
                          Sums& sums);
  static void note_wanted(Sums& sums, std::span<const core::Run> runs);
  void note(Sums& sums, std::span<const core::Run> runs, core::MaskWriter* mask);
  void place_direct(Sums& sums, std::byte* base, core::MaskWriter* mask);
  void place_staged(Sums& sums, std::byte* base, core::MaskWriter* mask);
  void collect_direct(const std::byte* base);
  void collect_staged(const std::byte* base);
  [[nodiscard]] std::int64_t bytes_left() const noexcept;
  /// bytes of the next part that goes through staging
  [[nodiscard]] std::int64_t next_staged() const noexcept;

  CollectiveCall& call_;
  transport::NodeSlots& slots_;
  core::Cursor cursor_;
  transport::Buffer buffer_;
  /// where there is no memory for a buffer: others wait for this rank's pieces
  std::array<std::byte, 4096> spare_;
  /// for memory that is not contiguous, or a device's: the buffer or the spare; else empty
  std::span<std::byte> staging_;
  /// end of this rank's bytes in the window
  std::int64_t limit_ = 0;
};

}  // namespace collio::engine
