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

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/byte_mask.hpp"
#include "core/tiling.hpp"
#include "flow/in_transit.hpp"
#include "flow/slot_groups.hpp"
#include "flow/tally.hpp"
#include "policy/plan/plan.hpp"
#include "transport/node_memory/shared_memory.hpp"
#include "transport/waiting/futex.hpp"

namespace collio::transport {

/// How a call uses the memory.
struct SlotLayout {
  flow::SlotGroups groups;
  std::int64_t window_bytes = 0;  ///< longest window
  int window_slots = 1;           ///< that it takes: they divide it evenly
  bool masks = false;             ///< keep which bytes are filled
  int mask_shift = 0;             ///< unit of the mask: 2^mask_shift bytes divide all piece ends
  /// What wakes a rank that waits: the turn of the group it waits for; or every group's turn, where it may go
  /// on with any; or every slot that is full or loaded, too.
  enum class Hears { group, turns, slots };
  Hears hears = Hears::group;
  Hears any_hears = Hears::group;  ///< the most that any rank hears
};

class NodeSlots {
 public:
  static constexpr int most_slots = policy::most_slots, most_groups = flow::SlotGroups::most_groups;

  struct Size {
    std::size_t bytes = 0;  ///< of windows in all
    bool several_nodes = false;
    [[nodiscard]] int slots() const noexcept { return several_nodes ? most_slots : policy::most_node_slots; }
  };
  /// What a call uses of the memory, from the begin of each part. The rest has no pages yet.
  struct Room {
    std::size_t masks = 0, windows = 0;  ///< bytes
    [[nodiscard]] bool covers(const Room& other) const noexcept {
      return masks >= other.masks && windows >= other.windows;
    }
    [[nodiscard]] Room and_also(const Room& other) const noexcept {
      return {std::max(masks, other.masks), std::max(windows, other.windows)};
    }
    [[nodiscard]] static constexpr Room all() noexcept { return {SIZE_MAX, SIZE_MAX}; }
  };
  /// The first `slots` slots, a window in each. `mask_shift`: as in SlotLayout; -1: no masks.
  [[nodiscard]] static Room room_for(std::int64_t slots, std::int64_t window_bytes, int mask_shift) noexcept;
  struct Wanted {
    Size size;
    Room room;
    SharedMemory::Pages pages = SharedMemory::Pages::anywhere;
  };
  /// Memory among the ranks of a node. Null on all ranks when there is none to be had. Slots that the same
  /// ranks gave back are used again. Where there is no room, kept ones make some. `why`: what failed, on the
  /// ranks where it did. Collective.
  static std::unique_ptr<NodeSlots> obtain(const NodeTalk& talk, const Wanted& wanted, std::string& why);
  /// Makes this rank's part of what the room lacks. When all ranks of the node have, they call set_room;
  /// where one could not, they have no room. Not collective.
  [[nodiscard]] bool make_room(const Room& room, std::string& why) noexcept;
  void set_room(const Room& room) noexcept { there_ |= parts_of(room); }
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
  [[nodiscard]] const SharedMemory::Name& name() const noexcept { return memory_->name(); }

  /// All ranks do this between two calls, in the same way.
  void lay_out(const SlotLayout& layout) noexcept { layout_ = layout; }
  /// Maps the pages of the first `bytes` bytes of a window in this process, unless done before: for a rank
  /// that is about to write there, as a page fault for each takes longer. One window at a time: the storage
  /// has work while the next is mapped, and the ranks of a node begin with different windows.
  void map_pages(int slot, std::int64_t bytes) noexcept;
  [[nodiscard]] int ranks() const noexcept { return makers_.ranks; }
  /// Bytes of windows that a layout may use, windows rounded up to pages.
  [[nodiscard]] std::size_t bytes() const noexcept { return size_.bytes; }
  /// Those that have pages.
  [[nodiscard]] std::size_t bytes_there() const noexcept;

  [[nodiscard]] std::byte* data(int slot) const noexcept;
  [[nodiscard]] core::ByteMask mask(int slot) const noexcept;

  /// True when the group is free for this rank's next batch.
  [[nodiscard]] bool ready(int group) const noexcept;
  /// What to wait for; taken before the look that found nothing to do, so that no change is missed.
  [[nodiscard]] std::uint32_t watch(int group) const noexcept;
  /// Waits a little for a change since `seen`, of what this rank hears.
  void idle(int group, std::uint32_t seen, WordWait& wait) const noexcept;
  /// This rank has begun its batch in the group: what it waits for from now on is the next turn.
  void enter(int group) noexcept;

  /// Adds pieces to the books of the window; `hull`: their first to last byte. Returns the bytes of those
  /// before.
  std::int64_t contribute(int slot, const core::TilingSum& sum, const core::Extent& hull) noexcept;
  /// Where pieces are packed: takes `bytes` bytes of the window's room, and returns where they begin.
  [[nodiscard]] std::int64_t take_room(int slot, std::int64_t bytes) noexcept;
  [[nodiscard]] std::int64_t room_taken(int slot) const noexcept;
  /// A window as all ranks know it.
  struct Window {
    std::int64_t offset = 0;      ///< file offset of its first byte
    std::int32_t batch_size = 1;  ///< parts of its batch that come free on this node
    std::int32_t parties = 1;     ///< how many arrive or depart
    bool packed = false;          ///< pieces are, and have no mask
  };
  /// What this node passes on for others. `any`: a message is due when the window is full. `next_round`: the
  /// next one is due then; none: -1.
  void announce(int slot, bool any, std::int64_t next_round) noexcept;
  /// Write. This rank is done with the window. True for the last one: the slot is full.
  [[nodiscard]] bool arrive(int slot, const Window& window) noexcept;
  /// Read. All ranks have marked what they want; they depart one by one when it is there.
  void await_departures(int slot) noexcept;
  /// What a full slot holds.
  struct Filled {
    std::int64_t window_offset = 0;
    core::Extent hull;
    core::TilingSum sum;
    std::int64_t next_round = -1;  ///< the lowest announced; -1: none
    bool due = false;              ///< a message was announced
  };
  [[nodiscard]] Filled filled(int slot) const noexcept;
  static constexpr int most_counters = 1 << 15;
  /// Counters for the next call: all zero. After all ranks have met, those of the call before are nobody's.
  [[nodiscard]] std::span<flow::Tally::Counter> next_counters() noexcept;
  /// Returns when all ranks have come. `comm`: see WordWait. Collective on the node.
  void meet(MPI_Comm comm) noexcept;
  /// Makes this rank's part of the counters of the call before zero. After meet(), before the call's end.
  void clear_old_counters(int node_rank) noexcept;

  /// Bytes of this node's messages on their way, by batch of transit slots.
  using BytesOut = std::array<std::atomic<std::int64_t>, flow::InTransit::batches>;
  [[nodiscard]] BytesOut& bytes_out() noexcept;

  /// Write. Ends the slot's turn. By one rank, when all have arrived.
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
  [[nodiscard]] bool loaded(int slot) const noexcept;
  /// Waits a little for loaded(slot).
  void idle_for_load(int slot, WordWait& wait) const noexcept;
  [[nodiscard]] std::int64_t end_of_file(int slot) const noexcept;
  /// Read. This rank needs the window no longer.
  void depart(int slot, const Window& window) noexcept;

 private:
  struct Head;
  struct Slot;
  struct Counters;
  /// The ranks of the node. Later users are the same ones, maybe in another order.
  struct Makers {
    int mine = 0, ranks = 1;
  };
  NodeSlots(std::unique_ptr<SharedMemory> memory, const Size& size, const Makers& makers) noexcept;
  static std::size_t counters_begin(const Size& size) noexcept;
  static std::size_t masks_begin(const Size& size) noexcept;
  static std::size_t windows_begin(const Size& size) noexcept;
  template <class T>
  [[nodiscard]] T* at(std::size_t begin) const noexcept {
    return reinterpret_cast<T*>(memory_->data() + begin);
  }
  static void discard_kept();
  enum class From { kept_too, fresh };
  static std::unique_ptr<NodeSlots> obtain_from(From from, const NodeTalk& talk, const Wanted& wanted,
                                                std::string& why);
  [[nodiscard]] std::size_t part_bytes() const noexcept;
  /// A bit for each of 64 parts of the memory that has some of these bytes.
  [[nodiscard]] std::uint64_t parts(std::size_t begin, std::size_t bytes) const noexcept;
  [[nodiscard]] std::uint64_t parts_of(const Room& room) const noexcept;
  [[nodiscard]] Slot& slot_at(int slot) const noexcept;
  [[nodiscard]] std::size_t slot_bytes() const noexcept;
  /// Counts this rank in; true for the last.
  [[nodiscard]] bool count_in(int slot, const Window& window) noexcept;
  [[nodiscard]] SharedWord& word_of(int group) const noexcept;
  void finish(int slot) noexcept;
  void ring_slots() noexcept;

  std::unique_ptr<SharedMemory> memory_;
  Head* head_;
  SlotLayout layout_;
  std::array<std::uint32_t, most_groups> turn_{};  ///< this rank's next turn in each group
  Size size_;
  std::uint64_t there_ = 0;   ///< parts that have pages; the same on all ranks of the node
  std::uint64_t mapped_ = 0;  ///< parts that are mapped in this process
  Makers makers_;
  static constexpr int most_growths = 32;
  int growths_ = 0;        ///< the same on all ranks
  int counted_calls_ = 0;  ///< that had counters; the same on all ranks
};

}  // namespace collio::transport
