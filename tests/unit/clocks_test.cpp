// Links, receivers and targets that do one thing after the other.
#include "simulate/clocks.hpp"

#include <gtest/gtest.h>

#include <random>

namespace collio::simulate {
namespace {

machine::Topology one_switch(int nodes) { return machine::SingleSwitch{nodes, {1e9, 1e-6}}; }

TEST(LinkClocks, AMessageAloneTakesLatencyAndTheSlowestLink) {
  const machine::Topology tree = machine::Tree{2, 2, {1e9, 1e-6}, {0.5e9, 2e-6}};
  LinkClocks links(tree);
  const machine::Trip trip{0, 3};
  EXPECT_NEAR(links.send(trip, 1'000'000, 5), 5 + machine::reach(tree, trip).transfer_s(1e6), 1e-12);
}

TEST(LinkClocks, MessagesToOneNodeShareItsLink) {
  const machine::Topology topology = one_switch(5);
  LinkClocks links(topology);
  double last_s = 0;
  for (int from = 1; from < 5; ++from) last_s = links.send({from, 0}, 1'000'000, 0);
  EXPECT_NEAR(last_s, 4e-3 + 2e-6, 1e-9);
  EXPECT_EQ(links.busiest().hop.link, 0);
  EXPECT_FALSE(links.busiest().hop.forward);
  EXPECT_EQ(links.busiest().bytes, 4'000'000);
  EXPECT_NEAR(links.busiest().time_s, 4e-3, 1e-12);
}

TEST(LinkClocks, PairsOfNodesDoNotWaitForEachOther) {
  const machine::Topology topology = one_switch(4);
  LinkClocks links(topology);
  EXPECT_NEAR(links.send({0, 1}, 1'000'000, 0), 1e-3 + 2e-6, 1e-9);
  EXPECT_NEAR(links.send({2, 3}, 1'000'000, 0), 1e-3 + 2e-6, 1e-9);
  EXPECT_NEAR(links.send({1, 0}, 1'000'000, 0), 1e-3 + 2e-6, 1e-9) << "links are full duplex";
}

TEST(LinkClocks, AMessageThatWaitsElsewhereKeepsNoLinkIdle) {
  const machine::Topology topology = one_switch(4);
  LinkClocks links(topology);
  EXPECT_NEAR(links.send({0, 1}, 9'000'000, 0), 9e-3 + 2e-6, 1e-9);
  EXPECT_NEAR(links.send({0, 2}, 1'000'000, 0), 10e-3 + 2e-6, 1e-9) << "behind the first, on node 0's link";
  EXPECT_NEAR(links.send({3, 2}, 1'000'000, 0), 1e-3 + 2e-6, 1e-9) << "node 2's link is idle until then";
  EXPECT_NEAR(links.send({1, 2}, 9'000'000, 0), 11e-3 + 2e-6, 1e-9) << "and fills the time around both";
}

TEST(LinkClocks, ATorusIsAsFastAsItsBusiestLinkAllows) {
  const machine::Topology torus = machine::Torus{{4, 4, 4}, {10e9, 1e-6}};
  LinkClocks links(torus);
  double last_s = 0;
  for (int k = 1; k < 64; ++k)
    for (int node = 0; node < 64; ++node)
      last_s = std::max(last_s, links.send({node, (node + k) % 64}, 1 << 18, 0));
  EXPECT_LT(last_s, 1.5 * links.busiest().time_s);
}

TEST(LinkClocks, OfALabTakeTheTimeOfSharedCores) {
  const machine::Topology topology = one_switch(4);
  ProcessorClocks one(1), none(0);
  LinkClocks links(topology, &one, 0.5e9), free(topology, &none, 0.5e9);
  EXPECT_NEAR(links.send({0, 1}, 1'000'000, 0), 2e-3, 1e-9) << "more than the links take";
  EXPECT_NEAR(links.send({2, 3}, 1'000'000, 0), 4e-3, 1e-9) << "the core is busy, the links are not";
  EXPECT_NEAR(one.busy_s(), 4e-3, 1e-12);
  EXPECT_NEAR(free.send({0, 1}, 1'000'000, 0), 1e-3 + 2e-6, 1e-9);
}

TEST(ProcessorClocks, WorkWaitsForTheCoreThatIsFreeFirst) {
  ProcessorClocks two(2);
  EXPECT_DOUBLE_EQ(two.work(0, 3), 3);
  EXPECT_DOUBLE_EQ(two.work(0, 1), 1);
  EXPECT_DOUBLE_EQ(two.work(0.5, 1), 2) << "both are at work until 1";
  EXPECT_DOUBLE_EQ(two.work(10, 0), 10);
  EXPECT_DOUBLE_EQ(two.busy_s(), 2.5);
  ProcessorClocks none(0);
  EXPECT_DOUBLE_EQ(none.work(0, 3), 3);
  EXPECT_DOUBLE_EQ(none.work(0, 3), 3) << "cores of its own";
}

TEST(BusyTimes, FillTheTimeThatIsLeft) {
  std::mt19937 dice(3);
  BusyTimes times;
  std::vector<bool> busy(2000);
  for (int i = 0; i < 120; ++i) {
    const int from = std::uniform_int_distribution(0, 1000)(dice), length = 1 + i % 7;
    auto end = static_cast<std::size_t>(from);
    for (int left = length; left > 0; ++end)
      if (!busy[end]) busy[end] = true, --left;
    ASSERT_EQ(times.take(from, length), static_cast<double>(end)) << i;
  }
}

TEST(BusyTimes, ForgetTheOldestGaps) {
  BusyTimes times;
  for (int i = 0; i < 1000; ++i) times.take(2 * i, 1);
  EXPECT_EQ(times.take(0, 1), 2 * (1000 - 128) + 2);
}

TEST(Receivers, ABurstCostsTheSquareOfItsLength) {
  NodeCosts costs;
  costs.message_s = 1e-6, costs.match_s = 1e-8;
  for (const int n : {1, 100, 1000}) {
    std::vector<Arrival> arrivals(static_cast<std::size_t>(n), Arrival{0, 2e-6});
    EXPECT_NEAR(receive_burst(arrivals, costs, 1), 1 + n * 3e-6 + 1e-8 * n * (n + 1) / 2, 1e-9);
  }
  std::vector<Arrival> late{{9, 0}, {3, 0}};
  EXPECT_NEAR(receive_burst(late, costs, 1), 9 + 1e-6 + 1e-8, 1e-12) << "it waits for the last one";
}

StorageCosts two_targets() {
  return {.targets = 2,
          .stripe_bytes = 1000,
          .call_s = 0.5,
          .target_call_s = 0.25,
          .target_bytes_per_s = 1000,
          .writer_bytes_per_s = 1e9,
          .node_bytes_per_s = 1e9,
          .lock_s = 2};
}

TEST(TargetClocks, StripesGoToTargetsInTurn) {
  TargetClocks targets(two_targets(), 2);
  EXPECT_NEAR(targets.access(0, {0, 2000}, false, 0), 0.5 + 1.25, 1e-6)
      << "two targets work at the same time";
  EXPECT_NEAR(targets.access(0, {2000, 1000}, false, 0), 0.5 + 2.5, 1e-5) << "behind what target 0 has";
  EXPECT_EQ(targets.locks_moved(), 0);
  EXPECT_EQ(targets.busiest(), 0);
  EXPECT_NEAR(targets.busy_s(0), 2.5, 1e-9);
}

TEST(TargetClocks, AnExtentThatAnotherNodeHasMovesItsLock) {
  TargetClocks targets(two_targets(), 2);
  (void)targets.access(0, {500, 100}, false, 0);
  EXPECT_NEAR(targets.access(0, {600, 100}, false, 10), 10 + 0.5 + 0.35, 1e-6);
  EXPECT_NEAR(targets.access(1, {700, 100}, false, 20), 20 + 0.5 + 0.35 + 2, 1e-6);
  EXPECT_NEAR(targets.access(0, {800, 100}, true, 30), 30 + 0.5 + 0.35, 1e-6) << "reads share";
  EXPECT_NEAR(targets.access(1, {2300, 100}, false, 40), 40 + 0.5 + 0.35, 1e-6) << "further on in the object";
  EXPECT_EQ(targets.locks_moved(), 1);
}

TEST(TargetClocks, ATargetServesOthersWhileALockMoves) {
  TargetClocks targets(two_targets(), 3);
  (void)targets.access(0, {0, 100}, false, 0);
  EXPECT_NEAR(targets.access(1, {2000, 100}, false, 10), 10 + 0.5 + 0.35 + 2, 1e-6) << "cuts node 0's lock";
  EXPECT_NEAR(targets.access(0, {100, 100}, false, 10), 10 + 0.5 + 0.35, 1e-6) << "of which this is left";
  EXPECT_NEAR(targets.access(2, {4000, 100}, false, 10), 10 + 0.5 + 0.35 + 4, 1e-6)
      << "locks of an object move one after the other";
}

TEST(TargetClocks, AProcessIsNoFasterThanItsOwnRate) {
  StorageCosts costs = two_targets();
  costs.writer_bytes_per_s = 100;
  TargetClocks targets(costs, 1);
  EXPECT_NEAR(targets.access(0, {0, 1000}, false, 0), 10.5, 1e-9);
}

}  // namespace
}  // namespace collio::simulate
