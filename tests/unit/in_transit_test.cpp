// How far the ranks of a node may run ahead of receivers.
#include "flow/in_transit.hpp"

#include <gtest/gtest.h>

namespace collio::flow {
namespace {

using ByBatch = std::array<std::int64_t, InTransit::batches>;

TEST(InTransit, EarlierBatchesHaveTheBytesOfTheSlots) {
  const InTransit transit{100, 2};
  ByBatch bytes{};
  EXPECT_TRUE(transit.has_room(bytes, 7));
  bytes[InTransit::place(5)] = 60;
  EXPECT_TRUE(transit.has_room(bytes, 7));
  bytes[InTransit::place(6)] = 40;
  EXPECT_FALSE(transit.has_room(bytes, 7));
  EXPECT_TRUE(transit.has_room(bytes, 6));
}

TEST(InTransit, ABatchNeverWaitsForItselfOrLaterOnes) {
  const InTransit transit{100, 4};
  for (const std::int64_t batch : {std::int64_t{3}, std::int64_t{62}, std::int64_t{1000}}) {
    ByBatch bytes{};
    for (int i = 0; i <= transit.groups; ++i) bytes[InTransit::place(batch + i)] = 1000;
    EXPECT_TRUE(transit.has_room(bytes, batch));
    EXPECT_FALSE(transit.has_room(bytes, batch + 1));
  }
}

}  // namespace
}  // namespace collio::flow
