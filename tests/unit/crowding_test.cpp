// That files of a few ranks do not make a job look crowded, and files of all ranks do where it is.
#include "machine/crowding.hpp"

#include <gtest/gtest.h>

namespace collio::machine {
namespace {

TEST(Crowding, OfAllRanksIsRanksAgainstCores) {
  EXPECT_LE(ranks_per_core({128, 128}, 128, 128), 1);
  EXPECT_GT(ranks_per_core({129, 128}, 129, 128), 1);
  EXPECT_GT(ranks_per_core({4, 2}, 0, 2), 1);
  EXPECT_LE(ranks_per_core({2, 2}, 0, 2), 1);
  EXPECT_GT(ranks_per_core({4, 1}, 4, 128), 1) << "a job that was put on one core";
}

TEST(Crowding, CountsRanksForEachCore) {
  EXPECT_EQ(ranks_per_core({2, 2}, 64, 2), 32);
  EXPECT_EQ(ranks_per_core({4, 8}, 4, 8), 0.5);
}

TEST(Crowding, OneRankBoundToACoreIsNoSignOfIt) {
  EXPECT_LE(ranks_per_core({1, 1}, 128, 128), 1) << "MPI_COMM_SELF";
  EXPECT_LE(ranks_per_core({4, 4}, 128, 128), 1) << "ranks that do I/O for others";
  EXPECT_LE(ranks_per_core({1, 8}, 16, 128), 1) << "bound to a group of cores";
  EXPECT_LE(ranks_per_core({1, 128}, 128, 128), 1) << "not bound";
}

TEST(Crowding, MoreRanksThanTheNodeHasCoresAre) {
  EXPECT_GT(ranks_per_core({1, 1}, 129, 128), 1);
  EXPECT_GT(ranks_per_core({1, 2}, 4, 2), 1);
  EXPECT_GT(ranks_per_core({2, 1}, 8, 128), 1) << "two of the ranks share a core, and so do the others";
}

}  // namespace
}  // namespace collio::machine
