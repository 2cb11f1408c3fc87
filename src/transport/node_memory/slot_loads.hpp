// Windows of a read on their way from the file into slots: one rank loads each, the others wait for it.
#pragma once

#include <cstdint>

#include "transport/node_memory/slot_layout.hpp"
#include "transport/node_memory/slot_turns.hpp"
#include "transport/waiting/futex.hpp"

namespace collio::transport {

class SlotLoads {
 public:
  /// Of a slot, in the shared memory. All zero at first; the same after every turn, except `end_of_file`.
  struct Shared {
    alignas(2 * SlotLayout::line_bytes) SharedWord state;
    std::int64_t end_of_file;
  };
  /// `loads`: of all slots.
  SlotLoads(Shared* loads, const SlotTurns& turns) noexcept : loads_(loads), turns_(turns) {}

  /// True for the one rank that shall load the window; it then calls finish_loading.
  [[nodiscard]] bool claim(int slot) noexcept;
  /// `end_of_file`: first offset that is not there, or the largest number.
  void finish_loading(int slot, std::int64_t end_of_file) noexcept;
  [[nodiscard]] bool loaded(int slot) const noexcept;
  /// Waits a little for loaded(slot).
  void idle(int slot, WordWait& wait) const noexcept;
  [[nodiscard]] std::int64_t end_of_file(int slot) const noexcept { return loads_[slot].end_of_file; }
  /// For the next window. By the last rank that departs.
  void clear(int slot) noexcept;

 private:
  Shared* loads_;
  const SlotTurns& turns_;
};

}  // namespace collio::transport
