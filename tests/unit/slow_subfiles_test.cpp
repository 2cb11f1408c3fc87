// Which subfiles a job stops dealing stripes to.
#include <gtest/gtest.h>

#include "policy/targets/slow_subfiles.hpp"

namespace {

using collio::policy::SlowSubfiles;
using Numbers = std::vector<std::int64_t>;

/// Of as much at these rates as makes them known, in MB/s; 0: nothing was written.
Numbers at(const Numbers& rates) {
  Numbers times;
  for (const std::int64_t rate : rates) times.push_back(rate > 0 ? SlowSubfiles::enough_bytes : 0);
  for (const std::int64_t rate : rates)
    times.push_back(rate > 0 ? SlowSubfiles::enough_bytes * 1000 / rate : 0);
  return times;
}

const Numbers all{0, 1, 2, 3, 4, 5};

TEST(SlowSubfiles, FarSlowerOneIsLeftOutAtOnce) {
  SlowSubfiles watch(6);
  EXPECT_EQ(watch.review(at({20, 20, 21, 19, 20, 20}), all), all);
  EXPECT_EQ(watch.review(at({20, 20, 2, 19, 20, 20}), all), (Numbers{0, 1, 3, 4, 5}));
  EXPECT_NEAR(watch.rate(2), 2e6, 1e3);
}

TEST(SlowSubfiles, TwoAreLeftOutTogether) {
  SlowSubfiles watch(6);
  EXPECT_EQ(watch.review(at({20, 2, 20, 19, 2, 20}), all), (Numbers{0, 2, 3, 5}));
}

TEST(SlowSubfiles, SlowerOneIsLeftOutWhenItStaysSo) {
  SlowSubfiles watch(6);
  const Numbers slower{20, 20, 7, 19, 20, 20};
  EXPECT_EQ(watch.review(at(slower), all), all);
  EXPECT_EQ(watch.review(at(slower), all), all);
  EXPECT_EQ(watch.review(at({20, 20, 20, 20, 20, 20}), all), all) << "it was so for a moment";
  EXPECT_EQ(watch.review(at(slower), all), all);
  EXPECT_EQ(watch.review(at(slower), all), all);
  EXPECT_EQ(watch.review(at({20, 20, 0, 19, 20, 20}), all), all) << "nothing was written to it";
  EXPECT_EQ(watch.review(at(slower), all), (Numbers{0, 1, 3, 4, 5}));
}

TEST(SlowSubfiles, OneWithHalfTheUsualRateStays) {
  SlowSubfiles watch(6);
  for (int period = 0; period < 9; ++period) EXPECT_EQ(watch.review(at({20, 20, 11, 19, 20, 20}), all), all);
}

TEST(SlowSubfiles, NoneIsLeftOutWhereThatGainsLittle) {
  SlowSubfiles watch(3);  // two of them at 20 write as much as three at 15
  for (int period = 0; period < 9; ++period)
    EXPECT_EQ(watch.review(at({40, 9, 9}), {0, 1, 2}), (Numbers{0, 1, 2})) << "half of them are the usual";
}

TEST(SlowSubfiles, FastOneDoesNotMakeTheOthersSlow) {
  SlowSubfiles watch(6);
  for (int period = 0; period < 9; ++period) EXPECT_EQ(watch.review(at({900, 20, 20, 20, 20, 20}), all), all);
}

TEST(SlowSubfiles, NothingIsKnownWithoutWrites) {
  SlowSubfiles watch(6);
  EXPECT_EQ(watch.review(at({0, 0, 0, 0, 0, 0}), all), all);
  EXPECT_EQ(watch.review(at({0, 0, 2, 0, 0, 0}), all), all);
}

TEST(SlowSubfiles, LittleSaysNothingUntilItComesTogether) {
  SlowSubfiles watch(2);
  const Numbers all_of_two{0, 1};
  EXPECT_EQ(watch.review(at({20, 20}), all_of_two), all_of_two);
  const Numbers slow{0, 1 << 20, 0, SlowSubfiles::enough_ns / 3};  // 16 MB/s at first sight, then 0
  EXPECT_EQ(watch.review(slow, all_of_two), all_of_two);
  const Numbers stuck{0, 0, 0, SlowSubfiles::enough_ns};
  EXPECT_EQ(watch.review(stuck, all_of_two), (Numbers{0}));
}

TEST(SlowSubfiles, HalfOfThemAreLeftOut) {
  SlowSubfiles two(2), four(4);
  EXPECT_EQ(two.review(at({2, 20}), {0, 1}), (Numbers{1}));
  EXPECT_EQ(four.review(at({2, 20, 20, 2}), {0, 1, 2, 3}), (Numbers{1, 2}));
}

}  // namespace
