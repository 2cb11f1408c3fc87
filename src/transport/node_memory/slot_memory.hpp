// The bytes of a node's slots: where each window and its mask lie, and which of their pages are there.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/byte_mask.hpp"
#include "transport/node_memory/shared_memory.hpp"
#include "transport/node_memory/slot_layout.hpp"

namespace collio::transport {

class SlotMemory {
 public:
  struct Size {
    /// of windows in all
    std::size_t bytes = 0;
    bool several_nodes = false;
    [[nodiscard]] int slots() const noexcept {
      return several_nodes ? SlotLayout::most_slots : policy::most_node_slots;
    }
  };
  /// What a call uses of the memory, from the begin of each part. The rest has no pages yet.
  struct Room {
    /// bytes
    std::size_t masks = 0, windows = 0;
    [[nodiscard]] bool covers(const Room& other) const noexcept {
      return masks >= other.masks && windows >= other.windows;
    }
    [[nodiscard]] Room and_also(const Room& other) const noexcept {
      return {std::max(masks, other.masks), std::max(windows, other.windows)};
    }
    [[nodiscard]] static constexpr Room all() noexcept { return {SIZE_MAX, SIZE_MAX}; }
  };
  /// The ranks of the node. Later users are the same ones, maybe in another order.
  struct Makers {
    int mine = 0, ranks = 1;
  };
  /// In the shared memory. All zero at first.
  struct Shared {
    static constexpr int most_growths = 32;
    /// mapped_ of all ranks together
    std::atomic<std::uint64_t> mapped;
    /// of each growth, and one; 0: not known
    std::array<std::atomic<std::int64_t>, most_growths> free_before;
  };
  /// Where the parts of the memory begin: what the other classes keep there, the masks, the windows.
  struct Parts {
    std::size_t masks = 0, windows = 0, end = 0;
  };
  /// `heads`: bytes that the other classes keep.
  [[nodiscard]] static Parts parts_for(std::size_t heads, const Size& size) noexcept;
  /// The first `slots` slots, a window in each. `mask_shift`: as in SlotLayout; -1: no masks.
  [[nodiscard]] static Room room_for(std::int64_t slots, std::int64_t window_bytes, int mask_shift) noexcept;

  SlotMemory(std::shared_ptr<SharedMemory> memory, const Parts& parts, const Size& size, const Makers& makers,
             Shared& shared) noexcept;

  /// Makes this rank's part of what the room lacks. When all ranks of the node have, they call set_room;
  /// where one could not, they have no room. Not collective.
  [[nodiscard]] bool make_room(const Room& room, std::string& why) noexcept;
  void set_room(const Room& room) noexcept { there_ |= chunks_of(room); }
  /// Maps the pages of the first `bytes` bytes of a window in this process, unless done before: for a rank
  /// that is about to write there, as a page fault for each takes longer. One window at a time: the storage
  /// has work while the next is mapped, and the ranks of a node begin with different windows.
  void map_pages(int slot, std::int64_t bytes) noexcept;
  /// Bytes of windows that a layout may use, windows rounded up to pages.
  [[nodiscard]] std::size_t bytes() const noexcept { return size_.bytes; }
  /// Those that have pages.
  [[nodiscard]] std::size_t bytes_there() const noexcept;
  [[nodiscard]] const Size& size() const noexcept { return size_; }
  [[nodiscard]] int ranks() const noexcept { return makers_.ranks; }
  [[nodiscard]] const SharedMemory::Name& name() const noexcept { return memory_->name(); }
  /// See SharedMemory.
  void discard() noexcept { memory_->discard(); }

  void lay_out(const SlotLayout& layout) noexcept { layout_ = layout; }
  [[nodiscard]] std::byte* data(int slot) const noexcept;
  [[nodiscard]] core::ByteMask mask(int slot) const noexcept;
  /// Nothing of the slot's window is filled.
  void clear_mask(int slot) const noexcept;

 private:
  [[nodiscard]] std::size_t slot_bytes() const noexcept;
  [[nodiscard]] std::size_t chunk_bytes() const noexcept;
  /// A bit for each of 64 chunks of the memory that has some of these bytes.
  [[nodiscard]] std::uint64_t chunks(std::size_t begin, std::size_t bytes) const noexcept;
  [[nodiscard]] std::uint64_t chunks_of(const Room& room) const noexcept;

  std::shared_ptr<SharedMemory> memory_;
  Parts parts_;
  Size size_;
  Makers makers_;
  Shared& shared_;
  SlotLayout layout_;
  /// chunks that have pages; the same on all ranks of the node
  std::uint64_t there_;
  /// chunks that are mapped in this process
  std::uint64_t mapped_ = 0;
  /// the same on all ranks
  int growths_ = 0;
};

}  // namespace collio::transport
