// Amounts by parts of a range: nothing is lost while parts grow.
#include "observe/buckets.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

namespace collio::observe {
namespace {

std::int64_t sum(const Buckets& buckets) {
  return std::accumulate(buckets.values().begin(), buckets.values().end(), std::int64_t{0});
}

TEST(Buckets, SplitAnAmountAtTheirEnds) {
  Buckets buckets(8);
  buckets.add(4, 20);
  EXPECT_EQ(buckets.width(), 8);
  EXPECT_EQ(buckets.values()[0], 4);
  EXPECT_EQ(buckets.values()[1], 8);
  EXPECT_EQ(buckets.values()[2], 4);
  EXPECT_EQ(sum(buckets), 16);
}

TEST(Buckets, DoubleUntilTheyReachTheEnd) {
  Buckets buckets(8);
  buckets.add(0, 8 * Buckets::count);
  EXPECT_EQ(buckets.width(), 8);
  buckets.add(5'000'000, 5'000'003);
  EXPECT_EQ(buckets.width(), 131072);
  EXPECT_EQ(buckets.values()[0], 8 * Buckets::count);
  EXPECT_EQ(buckets.values()[5'000'000 / 131072], 3);
  EXPECT_EQ(sum(buckets), 8 * Buckets::count + 3);
}

TEST(Buckets, WidenKeepsTheOrderOfParts) {
  Buckets buckets(1);
  for (std::int64_t part = 0; part < Buckets::count; ++part) buckets.add_to(part, part);
  buckets.widen(4);
  EXPECT_EQ(buckets.values()[0], 0 + 1 + 2 + 3);
  EXPECT_EQ(buckets.values()[15], 60 + 61 + 62 + 63);
  EXPECT_EQ(buckets.values()[16], 0);
}

TEST(Buckets, ReachTheLastByteOfAll) {
  Buckets buckets(1024);
  constexpr std::int64_t end = std::numeric_limits<std::int64_t>::max();
  buckets.add(end - 100, end);
  EXPECT_EQ(buckets.width(), std::int64_t{1} << 57);
  EXPECT_EQ(buckets.values()[Buckets::count - 1], 100);
  EXPECT_EQ(sum(buckets), 100);
}

TEST(Buckets, LeaveOutWhatLiesBeforeTheirBegin) {
  Buckets buckets(8);
  buckets.add(-10, 3);
  buckets.add(5, 5);
  EXPECT_EQ(sum(buckets), 3);
}

}  // namespace
}  // namespace collio::observe
