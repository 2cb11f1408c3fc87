// The numbers of the slots: every slot in one group, and every group's slots side by side.
#include "flow/slot_groups.hpp"

#include <gtest/gtest.h>

#include <array>

namespace collio::flow {
namespace {

int slots_of(const SlotGroups& g, int group) {
  return group < g.home_groups ? g.home_slots : g.transit_slots;
}

TEST(SlotGroups, CountGroupByGroup) {
  for (const SlotGroups& g :
       {SlotGroups{}, SlotGroups{1, 2, 3, 2}, SlotGroups{4, 3, 0, 0}, SlotGroups{2, 2, 5, 1}}) {
    int next = 0;
    for (int group = 0; group < g.groups(); ++group) {
      EXPECT_EQ(g.first_slot(group), next) << "group " << group;
      for (int i = 0; i < slots_of(g, group); ++i)
        EXPECT_EQ(g.group_of(next++), group) << "slot " << next - 1;
    }
    EXPECT_EQ(g.slots(), next);
  }
}

TEST(SlotGroups, TransitBatchesStayNearEachOther) {
  const SlotGroups g{1, 2, 1, 3};
  std::array<int, 5> left{};
  const auto in_turn = [&](int group) {
    return g.in_turn(group, [&](int one) { return left[static_cast<std::size_t>(one)]; });
  };
  left = {2, 0, 1, 0, 1};
  EXPECT_FALSE(in_turn(0));
  EXPECT_TRUE(in_turn(1));  // home groups go each by itself
  EXPECT_FALSE(in_turn(2));
  EXPECT_TRUE(in_turn(3));
  left[4] = 2;
  EXPECT_FALSE(in_turn(3));
}

}  // namespace
}  // namespace collio::flow
