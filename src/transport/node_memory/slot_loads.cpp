// See slot_loads.hpp.
#include "transport/node_memory/slot_loads.hpp"

namespace collio::transport {

namespace {

constexpr std::uint32_t not_loaded = 0, loading_now = 1, is_loaded = 2;

}  // namespace

bool SlotLoads::claim(int slot) noexcept {
  std::uint32_t before = not_loaded;
  return loads_[slot].state.value.compare_exchange_strong(before, loading_now, std::memory_order_acq_rel);
}

void SlotLoads::finish_loading(int slot, std::int64_t end_of_file) noexcept {
  loads_[slot].end_of_file = end_of_file;
  loads_[slot].state.set(is_loaded);
  turns_.ring();
}

bool SlotLoads::loaded(int slot) const noexcept { return loads_[slot].state.load() == is_loaded; }

void SlotLoads::idle(int slot, WordWait& wait) const noexcept {
  SharedWord& state = loads_[slot].state;
  if (const std::uint32_t seen = state.load(); seen != is_loaded) wait.idle(state, seen);
}

void SlotLoads::clear(int slot) noexcept {
  loads_[slot].state.value.store(not_loaded, std::memory_order_relaxed);
}

}  // namespace collio::transport
