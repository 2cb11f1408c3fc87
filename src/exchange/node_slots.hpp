// Collective buffers in the shared memory of a node.
//
// A call's windows pass through a few slots, each one window long. Every rank of the node copies its pieces of a
// window straight between its own memory and the slot: one copy, no message, no description. Who is in a slot is
// counted; whoever comes last writes the window out (or comes first, and reads it in), so that nobody is woken up to
// do it and no core idles while any rank has work.
//
// A slot serves one window after the other. Its state is 4 * turn + phase: all ranks know the turn in which a window
// will have the slot, and wait for it. A rank passes through all windows, also those in which it has no bytes.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "core/byte_mask.hpp"
#include "core/tiling.hpp"
#include "exchange/futex.hpp"
#include "exchange/shared_memory.hpp"

namespace collio::exchange {

/// How a call uses the memory.
struct SlotLayout {
  int count = 1;
  std::int64_t window_bytes = 0;  ///< longest window
  bool masks = false;             ///< keep which bytes are filled
  int mask_shift = 0;             ///< unit of the mask: 2^mask_shift bytes divide all piece ends
  bool few_servers = false;       ///< not every rank may write: those that may hear of every slot that fills
};

class NodeSlots {
 public:
  static constexpr int most_slots = 64;
  enum Phase : std::uint32_t { open = 0, loading = 1, loaded = 2 };

  /// Memory for windows of `bytes` bytes in all, among the ranks of `node`. Null on all ranks when there is none to be
  /// had. Memory that another file's slots no longer use is used again. Collective.
  static std::shared_ptr<NodeSlots> obtain(MPI_Comm node, std::size_t bytes, std::string& why);
  /// All ranks do this between two calls, in the same way.
  void lay_out(const SlotLayout& layout) noexcept;
  [[nodiscard]] const SlotLayout& layout() const noexcept { return layout_; }
  [[nodiscard]] int ranks() const noexcept { return ranks_; }
  /// Bytes of windows that a layout may use: count * window_bytes, windows rounded up to pages.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  [[nodiscard]] std::byte* data(int slot) const noexcept;
  [[nodiscard]] core::ByteMask mask(int slot) const noexcept;

  /// The phase of the slot in this rank's next turn, or -1: the turn has not come. Acquires what was written before.
  [[nodiscard]] int phase(int slot) const noexcept;
  /// Waits a little for the slot to change. `wait` belongs to this wait alone.
  void idle(int slot, WordWait& wait) const noexcept;

  /// Write. Adds pieces to the books of the window; `hull`: their first to last byte.
  void contribute(int slot, const core::TilingSum& sum, const core::Extent& hull) noexcept;
  /// Write. This rank is done with the window at file offset `window_offset`. True for the last one: full.
  [[nodiscard]] bool arrive(int slot, std::int64_t window_offset) noexcept;
  /// What a full slot holds.
  struct Filled {
    std::int64_t window_offset = 0;
    core::Extent hull;
    core::TilingSum sum;
  };
  [[nodiscard]] Filled filled(int slot) const noexcept;
  /// Ends the slot's turn: the next window may use it. By one rank, when all have arrived.
  void recycle(int slot) noexcept;

  /// Full slots wait for a rank that may write; at most `most` do so at once.
  void push_full(int slot) noexcept;
  /// Takes the lowest full slot, or returns -1.
  [[nodiscard]] int pop_full() noexcept;
  [[nodiscard]] bool any_full() const noexcept;
  [[nodiscard]] bool begin_serving(int most) noexcept;
  void end_serving() noexcept;

  /// Read. True for the one rank that shall load the window; it then calls finish_loading.
  [[nodiscard]] bool claim(int slot) noexcept;
  /// `end_of_file`: first offset that is not there, or the largest number.
  void finish_loading(int slot, std::int64_t end_of_file) noexcept;
  [[nodiscard]] std::int64_t end_of_file(int slot) const noexcept;
  /// Read. This rank needs the window no longer.
  void depart(int slot) noexcept;

 private:
  struct Head;
  struct Slot;
  NodeSlots(std::unique_ptr<SharedMemory> memory, std::size_t bytes, int ranks) noexcept;
  [[nodiscard]] Slot& slot_at(int slot) const noexcept;
  /// Counts this rank in; true for the last.
  bool count_in(int slot) noexcept;
  void next_turn(int slot) noexcept;
  void ring() noexcept;

  std::unique_ptr<SharedMemory> memory_;
  Head* head_;
  SlotLayout layout_;
  std::array<std::uint32_t, most_slots> turn_{};  ///< this rank's next turn in each slot
  std::size_t bytes_;
  int ranks_;
};

}  // namespace collio::exchange
