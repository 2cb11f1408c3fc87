// How far a sender may run ahead.
#include "flow/in_transit.hpp"

#include <gtest/gtest.h>

namespace collio::flow {
namespace {

TEST(InTransit, BoundsTheBytesOnTheirWay) {
  InTransit transit(100);
  EXPECT_TRUE(transit.may_send(0));
  transit.add(0, 1000);  // the first goes out in any case
  EXPECT_FALSE(transit.may_send(1));
  transit.remove(0, 1000);
  EXPECT_TRUE(transit.may_send(1));
  EXPECT_EQ(transit.bytes(), 0);
}

TEST(InTransit, BoundsTheMessagesOfADomain) {
  InTransit transit(1 << 20);
  transit.add(3, 10);
  EXPECT_TRUE(transit.may_send(3));
  transit.add(3, 20);
  transit.add(4, 5);
  EXPECT_FALSE(transit.may_send(3));
  EXPECT_TRUE(transit.may_send(4));
  transit.remove(3, 10);
  EXPECT_TRUE(transit.may_send(3));
  EXPECT_EQ(transit.bytes(), 25);
}

}  // namespace
}  // namespace collio::flow
