// What a rank notes for pictures: spans of bounded number, transfers by target, the last call's lanes.
#include "observe/pictures.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace collio::observe {
namespace {

TEST(Lane, KeepsSpansAndTheirGaps) {
  Lane lane;
  lane.add({0, 1});
  lane.add({1, 2});  // touches the one before
  lane.add({3, 4});
  ASSERT_EQ(lane.size(), 2u);
  EXPECT_EQ(lane[0].end_s, 2);
  EXPECT_EQ(lane[1].begin_s, 3);
}

TEST(Lane, JoinsTheNearestOfTooMany) {
  Lane lane;
  for (int i = 0; i < 10000; ++i) lane.add({i * 1.0, i + 0.5});
  lane.add({20000, 20001});
  EXPECT_LE(lane.size(), Lane::most);
  EXPECT_EQ(lane[0].begin_s, 0);
  EXPECT_EQ(lane[lane.size() - 2].end_s, 9999.5);
  EXPECT_EQ(lane[lane.size() - 1].begin_s, 20000);  // a long gap stays
}

TEST(Lane, JoinsTransfersThatOverlap) {
  Lane lane;
  lane.add({0, 5});
  lane.add({-1, 6});
  ASSERT_EQ(lane.size(), 1u);
  EXPECT_EQ(lane[0].begin_s, -1);
  EXPECT_EQ(lane[0].end_s, 6);
}

TEST(Pictures, DealTransfersToTargets) {
  Pictures pictures;
  pictures.deal({.unit_bytes = 100, .count = 2});
  pictures.transfer({50, 100, {0, 1}});   // half of it to each
  pictures.transfer({100, 100, {1, 3}});  // to the second alone
  const Pictures::Noted& noted = pictures.noted();
  EXPECT_EQ(noted.target_bytes, (std::vector<std::int64_t>{50, 150}));
  EXPECT_EQ(noted.target_ns, (std::vector<double>{5e8, 2.5e9}));
  EXPECT_EQ(noted.accessed.values()[0], 200);
}

TEST(Pictures, DealTheLastByteOfAll) {
  Pictures pictures;
  pictures.deal({.unit_bytes = std::int64_t{1} << 20, .count = 2});
  pictures.transfer({std::numeric_limits<std::int64_t>::max() - 100, 100, {0, 1}});
  EXPECT_EQ(pictures.noted().target_bytes, (std::vector<std::int64_t>{0, 100}));
}

TEST(Pictures, KnowNoTargetsOfTooMany) {
  Pictures pictures;
  pictures.deal({.unit_bytes = 100, .count = Pictures::most_targets + 1});
  pictures.transfer({50, 100, {0, 1}});
  EXPECT_EQ(pictures.noted().targets.count, 0);
  EXPECT_TRUE(pictures.noted().target_bytes.empty());
}

TEST(Pictures, TakeBytesWithoutTimes) {
  Pictures pictures;
  pictures.transfer({0, 10, {}});
  pictures.end_moving({}, 0);
  EXPECT_EQ(pictures.noted().accessed.values()[0], 10);
  EXPECT_EQ(pictures.noted().last.lanes[CallLanes::file].size(), 0u);
}

TEST(Pictures, HaveTheLanesOfTheLastCall) {
  Pictures pictures;
  pictures.transfer({0, 10, {0, 1}});
  pictures.begin_moving();
  CallLanes lanes;
  note_step(lanes, Step::place, 1, 2);
  note_step(lanes, Step::exchange, 2, 3);
  note_step(lanes, Step::wait, 3, 4);
  pictures.transfer({10, 10, {4, 5}});
  pictures.end_moving(lanes, 0.5);
  const Pictures::Noted& noted = pictures.noted();
  EXPECT_EQ(noted.last_s, 0.5);
  EXPECT_EQ(noted.last.lanes[CallLanes::fill][0].begin_s, 1);
  EXPECT_EQ(noted.last.lanes[CallLanes::send][0].begin_s, 2);
  ASSERT_EQ(noted.last.lanes[CallLanes::file].size(), 1u);
  EXPECT_EQ(noted.last.lanes[CallLanes::file][0].begin_s, 4);
}

TEST(Pictures, SpreadCallsOverTime) {
  Pictures pictures;
  const double now = now_s();
  pictures.call({now + 1, now + 3});
  std::int64_t ns = 0;
  for (const std::int64_t part : pictures.noted().in_calls.values()) ns += part;
  EXPECT_NEAR(static_cast<double>(ns), 2e9, 1e3);
}

}  // namespace
}  // namespace collio::observe
