// How the slots of a node's shared memory are divided: groups of slots that windows pass through together.
#pragma once

namespace collio::flow {

/// Two rings of groups: home slots for windows that this node serves, transit slots for pieces on their way
/// to other nodes. Slots are numbered group by group, home groups first.
struct SlotGroups {
  static constexpr int most_groups = 8;
  /// of a home group
  int home_slots = 1;
  int home_groups = 2;
  /// of a transit group
  int transit_slots = 0;
  int transit_groups = 0;

  [[nodiscard]] constexpr int groups() const noexcept { return home_groups + transit_groups; }
  /// Whether a batch may take `group`. `left(group)`: of the batches before it that take that group, those
  /// that are not over. A transit batch also waits until all batches before it are over but the last of each
  /// group: a rank that has no part in an earlier batch would run ahead of it through the other groups, and
  /// its messages would take the room of that batch's (flow/in_transit.hpp).
  template <class Left>
  [[nodiscard]] constexpr bool in_turn(int group, const Left& left) const {
    if (left(group) > 0) return false;
    if (group < home_groups) return true;
    for (int other = home_groups; other < groups(); ++other)
      if (left(other) > 1) return false;
    return true;
  }
  [[nodiscard]] constexpr int slots() const noexcept {
    return home_slots * home_groups + transit_slots * transit_groups;
  }
  [[nodiscard]] constexpr int first_slot(int group) const noexcept {
    return group < home_groups ? group * home_slots
                               : home_slots * home_groups + (group - home_groups) * transit_slots;
  }
  [[nodiscard]] constexpr int group_of(int slot) const noexcept {
    const int homes = home_slots * home_groups;
    return slot < homes ? slot / home_slots : home_groups + (slot - homes) / transit_slots;
  }
};

}  // namespace collio::flow
