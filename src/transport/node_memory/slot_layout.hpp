// How a call uses the shared memory of a node.
#pragma once

#include <cstddef>
#include <cstdint>

#include "flow/slot_groups.hpp"
#include "policy/plan/plan.hpp"

namespace collio::transport {

struct SlotLayout {
  static constexpr int most_slots = policy::most_slots;
  /// What is written by different ranks lies this far apart at least.
  static constexpr std::size_t line_bytes = 64;

  flow::SlotGroups groups;
  /// longest window
  std::int64_t window_bytes = 0;
  /// that it takes: they divide it evenly
  int window_slots = 1;
  /// keep which bytes are filled
  bool masks = false;
  /// unit of the mask: 2^mask_shift bytes divide all piece ends
  int mask_shift = 0;
  /// What wakes a rank that waits: the turn of the group it waits for; or every group's turn, where it may go
  /// on with any; or every slot that is full or loaded, too.
  enum class Hears { group, turns, slots };
  Hears hears = Hears::group;
  /// the most that any rank hears
  Hears any_hears = Hears::group;
};

}  // namespace collio::transport
