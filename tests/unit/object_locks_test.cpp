// Locks as extents of an object: what a write takes from other nodes.
#include "simulate/object_locks.hpp"

#include <gtest/gtest.h>

namespace collio::simulate {
namespace {

TEST(ObjectLocks, AContiguousPartOfEachNodeIsSplitOffOnce) {
  constexpr int nodes = 37, rounds = 10;
  constexpr std::int64_t stripe = 1 << 20;
  for (const int step : {1, 7, nodes - 1}) {  // upwards, in no order, downwards
    ObjectLocks locks;
    int cut = 0;
    for (int round = 0; round < rounds; ++round)
      for (int i = 0; i < nodes; ++i) {
        const int node = i * step % nodes;
        cut += locks.write(node, {(node * rounds + round) * stripe, stripe});
      }
    EXPECT_EQ(cut, nodes - 1) << step;
    EXPECT_EQ(locks.locks(), static_cast<std::size_t>(nodes));
  }
}

TEST(ObjectLocks, StripesDealtToNodesCostALockEach) {
  ObjectLocks locks;
  int cut = 0;
  for (int i = 0; i < 100; ++i) cut += locks.write(i % 4, {i * 1000, 1000});
  EXPECT_EQ(cut, 99) << "each lies in what grew from the one before";
  for (int i = 0; i < 96; ++i) cut += locks.write(i % 4, {i * 1000, 1000});
  EXPECT_EQ(cut, 99) << "all have theirs by now";
}

TEST(ObjectLocks, OneNodeNeedsOneLock) {
  ObjectLocks locks;
  for (const std::int64_t offset : {5000, 0, 900, 100'000}) EXPECT_EQ(locks.write(3, {offset, 1000}), 0);
  EXPECT_EQ(locks.locks(), 1U);
}

TEST(ObjectLocks, BytesThatTwoNodesWriteMoveEachTime) {
  ObjectLocks locks;
  int cut = 0;
  for (int i = 0; i < 10; ++i) cut += locks.write(i % 2, {100, 50});
  EXPECT_EQ(cut, 9);
  EXPECT_EQ(locks.write(2, {0, 1000}), 1);
  EXPECT_EQ(locks.locks(), 1U) << "nothing is left of a lock inside";
}

TEST(ObjectLocks, AWriteOverSeveralLocksCutsAll) {
  ObjectLocks locks;
  (void)locks.write(0, {0, 100});
  EXPECT_EQ(locks.write(1, {100, 100}), 1);
  EXPECT_EQ(locks.write(2, {200, 100}), 1);
  EXPECT_EQ(locks.write(3, {50, 200}), 3);
  EXPECT_EQ(locks.write(3, {0, 1000}), 1) << "node 0 kept the side that it wrote";
}

}  // namespace
}  // namespace collio::simulate
