// See slot_turns.hpp.
#include "transport/node_memory/slot_turns.hpp"

#include "core/index.hpp"

namespace collio::transport {

using Hears = SlotLayout::Hears;

void SlotTurns::lay_out(const SlotLayout& layout) noexcept {
  groups_ = layout.groups;
  hears_ = layout.hears;
  any_hears_ = layout.any_hears;
}

bool SlotTurns::ready(int group) const noexcept {
  // Less than none: later batches, in which this rank has no part, are over.
  return groups_.in_turn(group, [this](int one) {
    return static_cast<std::int32_t>(turn_[core::at(one)] - shared_.groups[one].turn.load());
  });
}

SharedWord& SlotTurns::word_of(int group) const noexcept {
  if (hears_ == Hears::group) return shared_.groups[group].turn;
  return hears_ == Hears::turns ? shared_.turns : shared_.bell;
}

void SlotTurns::finish(int slot, std::int32_t batch_size) const noexcept {
  Shared::Group& group = shared_.groups[groups_.group_of(slot)];
  if (group.finished.fetch_add(1, std::memory_order_acq_rel) + 1 != batch_size) return;
  // Before the turn: a rank that sees the next turn finds the count at 0.
  group.finished.store(0, std::memory_order_relaxed);
  group.turn.set(group.turn.load() + 1);
  if (any_hears_ >= Hears::turns) shared_.turns.bump();
  ring();
}

void SlotTurns::ring() const noexcept {
  if (any_hears_ == Hears::slots) shared_.bell.bump();
}

}  // namespace collio::transport
