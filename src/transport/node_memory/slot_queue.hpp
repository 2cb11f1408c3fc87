// Full slots of a write, on their way to a rank that writes them to the file.
#pragma once

#include <atomic>
#include <cstdint>

#include "transport/node_memory/slot_layout.hpp"
#include "transport/node_memory/slot_turns.hpp"

namespace collio::transport {

/// Full slots wait for a rank that may write; at most some do so at once. No full slot is forgotten: of a
/// rank that fills one and another that stops serving, one sees the other, if each does first its own step
/// and then looks.
class SlotQueue {
 public:
  /// In the shared memory. All zero at first.
  struct Shared {
    /// a bit for each window's first slot
    alignas(SlotLayout::line_bytes) std::atomic<std::uint64_t> full;
    alignas(SlotLayout::line_bytes) std::atomic<std::int32_t> serving;
  };
  SlotQueue(Shared& shared, const SlotTurns& turns) noexcept : shared_(shared), turns_(turns) {}
  void lay_out(const SlotLayout& layout) noexcept { window_slots_ = layout.window_slots; }

  void push_full(int slot) noexcept;
  /// Takes the lowest full slot, with all that was left there before it was pushed; or returns -1.
  [[nodiscard]] int pop_full() noexcept;
  [[nodiscard]] bool any_full() const noexcept;
  /// False: `most` ranks are serving.
  [[nodiscard]] bool begin_serving(int most) noexcept;
  void end_serving() noexcept;

 private:
  Shared& shared_;
  const SlotTurns& turns_;
  int window_slots_ = 1;
};

}  // namespace collio::transport
