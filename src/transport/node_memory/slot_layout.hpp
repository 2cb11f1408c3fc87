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

}  // namespace collio::transport
