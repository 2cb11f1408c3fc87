// See node_slots.hpp.
#include "transport/node_memory/node_slots.hpp"

namespace collio::transport {

// The memory: the head, each slot's books and its load, among several nodes the counters, then the masks of
// all slots, then their windows.
struct NodeSlots::Head {
  SlotQueue::Shared queue;
  SlotTurns::Shared turns;
  NodeCounts::Shared counts;
  alignas(SlotLayout::line_bytes) SlotMemory::Shared memory;
};

struct NodeSlots::Heads {
  std::byte* memory;
  /// where they begin
  std::size_t books = 0, loads = 0, counters = 0, end = 0;

  Heads(std::byte* begin, const Size& size) noexcept : memory(begin) {
    constexpr std::size_t page = 4096;
    const auto slots = static_cast<std::size_t>(size.slots());
    books = (sizeof(Head) + page - 1) / page * page;
    loads = books + slots * sizeof(SlotBooks::Shared);
    counters = loads + slots * sizeof(SlotLoads::Shared);
    end = counters + (size.several_nodes ? sizeof(NodeCounts::Counters) : 0);
  }
  template <class T>
  [[nodiscard]] T* at(std::size_t begin) const noexcept {
    return reinterpret_cast<T*>(memory + begin);
  }
  [[nodiscard]] Head& head() const noexcept { return *at<Head>(0); }
};

SlotMemory::Parts NodeSlots::parts_for(const Size& size) noexcept {
  return SlotMemory::parts_for(Heads(nullptr, size).end, size);
}

NodeSlots::NodeSlots(std::shared_ptr<SharedMemory> shared, const Size& size, const Makers& makers) noexcept
    : NodeSlots(shared, Heads(shared->data(), size), size, makers) {}

NodeSlots::NodeSlots(std::shared_ptr<SharedMemory> shared, const Heads& heads, const Size& size,
                     const Makers& makers) noexcept
    : memory(std::move(shared), parts_for(size), size, makers, heads.head().memory),
      turns(heads.head().turns),
      books(heads.at<SlotBooks::Shared>(heads.books)),
      queue(heads.head().queue, turns),
      loads(heads.at<SlotLoads::Shared>(heads.loads), turns),
      counts(heads.head().counts, heads.at<NodeCounts::Counters>(heads.counters), makers.ranks) {}

void NodeSlots::lay_out(const SlotLayout& layout) noexcept {
  memory.lay_out(layout);
  turns.lay_out(layout);
  queue.lay_out(layout);
}

void NodeSlots::recycle(int slot) noexcept {
  const Window window = books.window(slot);
  if (!window.packed) memory.clear_mask(slot);
  books.clear(slot);
  turns.finish(slot, window.batch_size);
}

void NodeSlots::depart(int slot, const Window& window) noexcept {
  if (!books.arrive(slot, window)) return;
  loads.clear(slot);
  recycle(slot);
}

}  // namespace collio::transport
