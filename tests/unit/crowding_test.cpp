// That files of a few ranks do not make a job look crowded, and files of all ranks do where it is.
#include "machine/crowding.hpp"

#include <gtest/gtest.h>

namespace collio::machine {
namespace {

TEST(Crowding, OfAllRanksIsRanksAgainstCores) {
  EXPECT_FALSE(crowded({128, 128}, 128, 128));
  EXPECT_TRUE(crowded({129, 128}, 129, 128));
  EXPECT_TRUE(crowded({4, 2}, 0, 2));
  EXPECT_FALSE(crowded({2, 2}, 0, 2));
  EXPECT_TRUE(crowded({4, 1}, 4, 128)) << "a job that was put on one core";
}

TEST(Crowding, OneRankBoundToACoreIsNoSignOfIt) {
  EXPECT_FALSE(crowded({1, 1}, 128, 128)) << "MPI_COMM_SELF";
  EXPECT_FALSE(crowded({4, 4}, 128, 128)) << "ranks that do I/O for others";
  EXPECT_FALSE(crowded({1, 8}, 16, 128)) << "bound to a group of cores";
  EXPECT_FALSE(crowded({1, 128}, 128, 128)) << "not bound";
}

TEST(Crowding, MoreRanksThanTheNodeHasCoresAre) {
  EXPECT_TRUE(crowded({1, 1}, 129, 128));
  EXPECT_TRUE(crowded({1, 2}, 4, 2));
  EXPECT_TRUE(crowded({2, 1}, 8, 128)) << "two of the ranks share a core, and so do the others";
}

}  // namespace
}  // namespace collio::machine
