// Whose turn a group of slots is, and what wakes the ranks that wait for it.
//
// All ranks know the turn in which a batch of windows has its group. The turn ends when as many windows of
// the batch have been finished as come free on this node.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "core/index.hpp"
#include "transport/node_memory/slot_layout.hpp"
#include "transport/waiting/futex.hpp"

namespace collio::transport {

class SlotTurns {
 public:
  static constexpr int most_groups = flow::SlotGroups::most_groups;
  /// In the shared memory. All zero at first.
  struct Shared {
    struct Group {
      alignas(SlotLayout::line_bytes) SharedWord turn;
      /// windows of the batch
      std::atomic<std::int32_t> finished;
    };
    /// changes with the turn of any group
    alignas(SlotLayout::line_bytes) SharedWord turns;
    /// and with every slot that is full or loaded
    alignas(SlotLayout::line_bytes) SharedWord bell;
    Group groups[most_groups];
  };
  explicit SlotTurns(Shared& shared) noexcept : shared_(shared) {}
  void lay_out(const SlotLayout& layout) noexcept;

  /// True when the group is free for this rank's next batch.
  [[nodiscard]] bool ready(int group) const noexcept;
  /// What to wait for; taken before the look that found nothing to do, so that no change is missed.
  [[nodiscard]] std::uint32_t watch(int group) const noexcept { return word_of(group).load(); }
  /// Waits a little for a change since `seen`, of what this rank hears.
  void idle(int group, std::uint32_t seen, WordWait& wait) const noexcept { wait.idle(word_of(group), seen); }
  /// This rank has begun its batch in the group: what it waits for from now on is the next turn.
  void enter(int group) noexcept { ++turn_[core::at(group)]; }

  /// The slot's window is done with. `batch_size`: windows of its batch.
  void finish(int slot, std::int32_t batch_size) const noexcept;
  /// A slot is full or loaded.
  void ring() const noexcept;

 private:
  [[nodiscard]] SharedWord& word_of(int group) const noexcept;

  Shared& shared_;
  flow::SlotGroups groups_;
  SlotLayout::Hears hears_ = SlotLayout::Hears::group, any_hears_ = SlotLayout::Hears::group;
  /// this rank's next turn in each group
  std::array<std::uint32_t, most_groups> turn_{};
};

}  // namespace collio::transport
