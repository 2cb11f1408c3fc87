// What the ranks of a node have put into the window of a slot, and how many of them are done with it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/extent.hpp"
#include "core/tiling.hpp"
#include "transport/node_memory/slot_layout.hpp"

namespace collio::transport {

class SlotBooks {
 public:
  /// A window as all ranks know it.
  struct Window {
    /// file offset of its first byte
    std::int64_t offset = 0;
    /// parts of its batch that come free on this node
    std::int32_t batch_size = 1;
    /// how many arrive or depart
    std::int32_t parties = 1;
    /// pieces are, and have no mask
    bool packed = false;
  };
  /// Of a slot, in the shared memory. All zero at first; the same after every turn, except `window`.
  struct Shared {
    alignas(2 * SlotLayout::line_bytes) std::atomic<std::int32_t> arrived;
    std::atomic<std::uint64_t> hash;
    std::atomic<std::int64_t> bytes, high;
    /// `largest` minus the lowest offset
    std::atomic<std::int64_t> below_largest;
    /// `largest` minus the lowest round announced
    std::atomic<std::int64_t> next_below_largest;
    std::atomic<std::int64_t> room_taken;
    std::atomic<bool> due;
    Window window;
  };
  /// `books`: of all slots.
  explicit SlotBooks(Shared* books) noexcept : books_(books) {}

  /// Adds pieces to the books of the window; `hull`: their first to last byte. Returns the bytes of those
  /// before.
  std::int64_t contribute(int slot, const core::TilingSum& sum, const core::Extent& hull) noexcept;
  /// Where pieces are packed: takes `bytes` bytes of the window's room, and returns where they begin.
  [[nodiscard]] std::int64_t take_room(int slot, std::int64_t bytes) noexcept;
  [[nodiscard]] std::int64_t room_taken(int slot) const noexcept;
  /// What this node passes on for others. `any`: a message is due when the window is full. `next_round`: the
  /// next one is due then; none: -1.
  void announce(int slot, bool any, std::int64_t next_round) noexcept;
  /// This rank is done with the window. True for the last one: the slot is full, and it sees all that the
  /// others have left there.
  [[nodiscard]] bool arrive(int slot, const Window& window) noexcept;
  /// Read. All ranks have marked what they want; they depart one by one when it is there.
  void await_departures(int slot) noexcept;
  /// What a full slot holds.
  struct Filled {
    std::int64_t window_offset = 0;
    core::Extent hull;
    core::TilingSum sum;
    /// the lowest announced; -1: none
    std::int64_t next_round = -1;
    /// a message was announced
    bool due = false;
  };
  [[nodiscard]] Filled filled(int slot) const noexcept;
  /// Of a full slot.
  [[nodiscard]] const Window& window(int slot) const noexcept { return books_[slot].window; }
  /// For the next window. By one rank, when all have arrived.
  void clear(int slot) noexcept;

 private:
  Shared* books_;
};

}  // namespace collio::transport
