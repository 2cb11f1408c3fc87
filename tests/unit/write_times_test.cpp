// Which writes to subfiles count, and which are left out.
#include <gtest/gtest.h>

#include "storage/subfiles/write_times.hpp"

namespace {

using collio::storage::WriteTimes;
using Counts = std::vector<std::int64_t>;

TEST(WriteTimes, AreAddedUpButForShortWrites) {
  WriteTimes times(3, 16);
  times.took(0, 1000, 1.0);
  times.took(0, 500, 0.5);
  times.took(2, 7, 2.0);  // short
  times.took(2, 16, 2.0);
  EXPECT_EQ(times.take(), (Counts{1500, 0, 16, 1'500'000'000, 0, 2'000'000'000}));
  EXPECT_EQ(times.take(), Counts(6, 0));
}

TEST(WriteTimes, LeavesOutWhatHasBecomeSlow) {
  WriteTimes times(3, 16);
  times.took(1, 1000, 10.0);
  EXPECT_TRUE(times.wanted(1)) << "nothing may be left out yet";
  times.leave_out_below({0, 400, 400});
  EXPECT_TRUE(times.wanted(1)) << "what was before does not count";
  times.took(0, 100, 1.0);
  times.took(1, 39, 0.1);
  times.took(2, 101, 0.25);
  EXPECT_TRUE(times.wanted(1)) << "so short a time tells nothing";
  times.took(1, 39, 0.1);
  EXPECT_FALSE(times.wanted(1));
  EXPECT_TRUE(times.wanted(0)) << "never left out";
  EXPECT_TRUE(times.wanted(2)) << "as fast as it has to be";
  EXPECT_TRUE(times.leave_out_none());
  EXPECT_TRUE(times.wanted(1));
  EXPECT_FALSE(times.leave_out_none());
  EXPECT_EQ(times.take_since(), (Counts{100, 78, 101, 1'000'000'000, 200'000'000, 250'000'000}));
  EXPECT_EQ(times.take(), Counts(6, 0));
}

}  // namespace
