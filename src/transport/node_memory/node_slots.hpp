// Collective buffers in the shared memory of a node.
//
// A call's windows pass through slots, each through one or several in a row, of which the first counts. Every
// rank of the node copies its pieces of a window straight between its own memory and the slot: one copy, no
// message, no description. Ranks that are done with a slot are counted. The last one writes the window (the
// first one reads it), so no rank is woken up for it and no core idles while any rank has work.
//
// The slots are divided into groups (flow/window_order.hpp). A batch of windows takes one group, the next
// batch another: ranks fill one group while others are written or sent. Ranks sleep for a whole group only,
// never for a single slot: where ranks outnumber cores, waking them up is what costs. All ranks know the turn
// in which a batch has its group. On one node a rank passes through all windows, also those in which it has
// no bytes; on several it passes its own, after the ranks of the node have counted who comes to which
// (flow/tally.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "transport/node_memory/node_counts.hpp"
#include "transport/node_memory/shared_memory.hpp"
#include "transport/node_memory/slot_books.hpp"
#include "transport/node_memory/slot_layout.hpp"
#include "transport/node_memory/slot_loads.hpp"
#include "transport/node_memory/slot_memory.hpp"
#include "transport/node_memory/slot_queue.hpp"
#include "transport/node_memory/slot_turns.hpp"

namespace collio::transport {

class NodeSlots {
 public:
  using Size = SlotMemory::Size;
  using Room = SlotMemory::Room;
  using Makers = SlotMemory::Makers;
  using Window = SlotBooks::Window;
  using Filled = SlotBooks::Filled;
  struct Wanted {
    Size size;
    Room room;
    SharedMemory::Pages pages = SharedMemory::Pages::anywhere;
  };

  /// Memory among the ranks of a node. Null on all ranks when there is none to be had. Slots that the same
  /// ranks gave back are used again. Where there is no room, kept ones make some. `why`: what failed, on the
  /// ranks where it did. Collective.
  static std::unique_ptr<NodeSlots> obtain(const NodeTalk& talk, const Wanted& wanted, std::string& why);
  /// Keeps slots for the next call of the same ranks, on whatever file: fresh memory costs a page fault per 4
  /// KiB and rank.
  static void give_back(std::unique_ptr<NodeSlots> slots);
  /// The kept slots of that name; null: they are in use, or not kept any more. Not collective: other ranks
  /// may find otherwise.
  static std::unique_ptr<NodeSlots> take_back(const SharedMemory::Name& name);
  /// Bytes of collective calls, of all their ranks, that passed through slots of this process. Not
  /// collective; thread-safe.
  [[nodiscard]] static std::int64_t bytes_through() noexcept;
  static void count_through(std::int64_t bytes) noexcept;

  /// The memory that slots of this size lie in, in all and before the masks.
  [[nodiscard]] static SlotMemory::Parts parts_for(const Size& size) noexcept;
  /// On memory that the ranks share, all zero at first, of as many bytes. Not collective.
  NodeSlots(std::shared_ptr<SharedMemory> memory, const Size& size, const Makers& makers) noexcept;
  NodeSlots(const NodeSlots&) = delete;
  NodeSlots& operator=(const NodeSlots&) = delete;

  /// All ranks do this between two calls, in the same way.
  void lay_out(const SlotLayout& layout) noexcept;
  /// Write. Ends the turn of the slot's window. By one rank, when all have arrived.
  void recycle(int slot) noexcept;
  /// Read. This rank needs the window no longer.
  void depart(int slot, const Window& window) noexcept;

 private:
  struct Head;
  struct Heads;
  NodeSlots(std::shared_ptr<SharedMemory> memory, const Heads& heads, const Size& size,
            const Makers& makers) noexcept;
  static void discard_kept();
  enum class From { kept_too, fresh };
  static std::unique_ptr<NodeSlots> obtain_from(From from, const NodeTalk& talk, const Wanted& wanted,
                                                std::string& why);

 public:  // each on its own part of the memory
  SlotMemory memory;
  SlotTurns turns;
  SlotBooks books;
  SlotQueue queue;
  SlotLoads loads;
  NodeCounts counts;
};

}  // namespace collio::transport
