// Which subfiles a job stops dealing stripes to.
#include <gtest/gtest.h>

#include "policy/slow_subfiles.hpp"

namespace {

using collio::policy::SlowSubfiles;
using Numbers = std::vector<std::int64_t>;

const Numbers all{0, 1, 2, 3, 4, 5};

TEST(SlowSubfiles, FarSlowerOneIsLeftOutAtOnce) {
  SlowSubfiles watch(6);
  EXPECT_EQ(watch.review(Numbers{20, 20, 21, 19, 20, 20}, all), all);
  EXPECT_EQ(watch.review(Numbers{20, 20, 2, 19, 20, 20}, all), (Numbers{0, 1, 3, 4, 5}));
  EXPECT_EQ(watch.rate(2), 2);
}

TEST(SlowSubfiles, TwoAreLeftOutTogether) {
  SlowSubfiles watch(6);
  EXPECT_EQ(watch.review(Numbers{20, 2, 20, 19, 2, 20}, all), (Numbers{0, 2, 3, 5}));
}

TEST(SlowSubfiles, SlowerOneIsLeftOutWhenItStaysSo) {
  SlowSubfiles watch(6);
  const Numbers slower{20, 20, 8, 19, 20, 20};
  EXPECT_EQ(watch.review(slower, all), all);
  EXPECT_EQ(watch.review(slower, all), all);
  EXPECT_EQ(watch.review(Numbers{20, 20, 20, 20, 20, 20}, all), all) << "it was so for a moment";
  EXPECT_EQ(watch.review(slower, all), all);
  EXPECT_EQ(watch.review(slower, all), all);
  EXPECT_EQ(watch.review(Numbers{20, 20, 0, 19, 20, 20}, all), all) << "nothing was written to it";
  EXPECT_EQ(watch.review(slower, all), (Numbers{0, 1, 3, 4, 5}));
}

TEST(SlowSubfiles, OneThatHasHalfTheUsualRateStays) {
  SlowSubfiles watch(6);
  for (int period = 0; period < 9; ++period)
    EXPECT_EQ(watch.review(Numbers{20, 20, 11, 19, 20, 20}, all), all);
}

TEST(SlowSubfiles, NoneIsLeftOutWhereThatGainsLittle) {
  SlowSubfiles watch(3);  // two of them at 20 write as much as three at 15
  for (int period = 0; period < 9; ++period)
    EXPECT_EQ(watch.review(Numbers{40, 9, 9}, {0, 1, 2}), (Numbers{0, 1, 2})) << "half of them are the usual";
}

TEST(SlowSubfiles, FastOneDoesNotMakeTheOthersSlow) {
  SlowSubfiles watch(6);
  for (int period = 0; period < 9; ++period)
    EXPECT_EQ(watch.review(Numbers{900, 20, 20, 20, 20, 20}, all), all);
}

TEST(SlowSubfiles, NothingIsKnownWithoutWrites) {
  SlowSubfiles watch(6);
  EXPECT_EQ(watch.review(Numbers{0, 0, 0, 0, 0, 0}, all), all);
  EXPECT_EQ(watch.review(Numbers{0, 0, 2, 0, 0, 0}, all), all);
}

TEST(SlowSubfiles, HalfOfThemAreLeftOut) {
  SlowSubfiles two(2), four(4);
  EXPECT_EQ(two.review(Numbers{2, 20}, {0, 1}), (Numbers{1}));
  EXPECT_EQ(four.review(Numbers{2, 20, 20, 2}, {0, 1, 2, 3}), (Numbers{1, 2}));
}

}  // namespace
