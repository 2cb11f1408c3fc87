// See slot_queue.hpp.
#include "transport/node_memory/slot_queue.hpp"

#include <bit>

namespace collio::transport {

static_assert(policy::most_node_slots <= 64, "full slots are bits of a word");

void SlotQueue::push_full(int slot) noexcept {
  shared_.full.fetch_or(std::uint64_t{1} << (slot / window_slots_), std::memory_order_seq_cst);
  turns_.ring();
}

int SlotQueue::pop_full() noexcept {
  std::uint64_t full = shared_.full.load(std::memory_order_seq_cst);
  while (full != 0) {
    const std::uint64_t lowest = full & (~full + 1);
    if (shared_.full.compare_exchange_weak(full, full & ~lowest, std::memory_order_acq_rel))
      return std::countr_zero(lowest) * window_slots_;
  }
  return -1;
}

bool SlotQueue::any_full() const noexcept { return shared_.full.load(std::memory_order_seq_cst) != 0; }

bool SlotQueue::begin_serving(int most) noexcept {
  // Sequentially consistent, like push_full, any_full and end_serving: of a rank that fills a slot and one
  // that stops serving, one sees the other.
  std::int32_t now = shared_.serving.load(std::memory_order_seq_cst);
  while (now < most)
    if (shared_.serving.compare_exchange_weak(now, now + 1, std::memory_order_seq_cst)) return true;
  return false;
}

void SlotQueue::end_serving() noexcept { shared_.serving.fetch_sub(1, std::memory_order_seq_cst); }

}  // namespace collio::transport
