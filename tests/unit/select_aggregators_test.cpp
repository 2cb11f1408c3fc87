// Who aggregates by each policy, and how many: by hint, by stripes, by what a policy may place.
#include "policy/aggregators/select_aggregators.hpp"

#include <gtest/gtest.h>

#include <set>

namespace collio::policy {
namespace {

using machine::Machine;

constexpr Selection all[] = {Selection::dealt,   Selection::one_per_node, Selection::per_numa,
                             Selection::per_nic, Selection::round_robin,  Selection::spread};

Machine machine_of(std::vector<machine::Node> nodes, int per_core = 0) {
  Machine m{std::move(nodes), {}};
  m.storage.aggregators_per_core = per_core;
  return m;
}

Machine alike(int nodes, const machine::Node& node) {
  return machine_of(std::vector<machine::Node>(static_cast<std::size_t>(nodes), node));
}

machine::Node node_of(int ranks, int numas = 1, int nics = 1) {
  machine::Node node{"n", ranks, ranks};
  node.numas = numas, node.nics = nics;
  return node;
}

/// Ranks where nodes have their ranks in blocks.
std::vector<int> ranks_of(Selection selection, const Machine& machine, int count, const Hints& given = {}) {
  Hints hints = given;
  hints.aggregators = count;
  std::vector<int> first{0}, ranks;
  for (const machine::Node& node : machine.nodes) first.push_back(first.back() + node.ranks);
  for (const Seat& seat : select_aggregators(selection, {machine, hints}))
    ranks.push_back(first[static_cast<std::size_t>(seat.node)] + seat.local_rank);
  return ranks;
}

using Ranks = std::vector<int>;

TEST(SelectAggregators, NamesComeBack) {
  for (const Selection selection : all)
    EXPECT_EQ(core::value_named(words::who, name_of(selection)), Who(selection));
  EXPECT_EQ(core::value_named(words::who, "first"), std::nullopt);
}

TEST(SelectAggregators, RoundRobinIsCrays) {
  EXPECT_EQ(ranks_of(Selection::round_robin, alike(2, node_of(64)), 4), (Ranks{0, 64, 1, 65}));
  EXPECT_EQ(ranks_of(Selection::round_robin, machine_of({node_of(1), node_of(3)}), 4), (Ranks{0, 1, 2, 3}));
  EXPECT_EQ(ranks_of(Selection::round_robin, alike(3, node_of(4)), 2), (Ranks{0, 4}));
}

TEST(SelectAggregators, DealtIsWhatAFileHasToday) {
  for (const int count : {0, 1, 3, 5, 8, 100})
    for (const Machine& m : {alike(3, node_of(4)), machine_of({node_of(8), node_of(1), node_of(5)}, 2)}) {
      Hints hints;
      hints.aggregators = count;
      EXPECT_EQ(select_aggregators(Selection::dealt, {m, hints}), choose_aggregators(m, hints));
    }
  EXPECT_EQ(ranks_of(Selection::dealt, alike(2, node_of(64)), 4), (Ranks{0, 64, 32, 96}));
}

TEST(SelectAggregators, SpreadIsEvenOverNodesAndRanks) {
  EXPECT_EQ(ranks_of(Selection::spread, alike(2, node_of(64)), 4), (Ranks{0, 32, 64, 96}));
  EXPECT_EQ(ranks_of(Selection::spread, alike(8, node_of(4)), 2), (Ranks{0, 16}));
  EXPECT_EQ(ranks_of(Selection::spread, alike(1, node_of(8)), 3), (Ranks{0, 3, 6}));
  EXPECT_EQ(ranks_of(Selection::spread, alike(4, node_of(2)), 6), (Ranks{0, 1, 2, 4, 5, 6}));
}

TEST(SelectAggregators, PartsOfANodeHaveOneEach) {
  const Machine m = alike(2, node_of(16, 4, 2));
  EXPECT_EQ(ranks_of(Selection::one_per_node, m, 0), (Ranks{0, 16}));
  EXPECT_EQ(ranks_of(Selection::per_numa, m, 0), (Ranks{0, 4, 8, 12, 16, 20, 24, 28}));
  EXPECT_EQ(ranks_of(Selection::per_nic, m, 0), (Ranks{0, 8, 16, 24}));
  EXPECT_EQ(ranks_of(Selection::per_numa, m, 4), (Ranks{0, 8, 16, 24})) << "every other memory domain";
  EXPECT_EQ(ranks_of(Selection::one_per_node, m, 50), (Ranks{0, 16}));
  EXPECT_EQ(ranks_of(Selection::one_per_node, alike(6, node_of(2)), 3), (Ranks{0, 4, 8}));
  EXPECT_EQ(ranks_of(Selection::per_numa, alike(1, node_of(3, 8)), 0), (Ranks{0, 1, 2}))
      << "fewer ranks than memory domains";
}

TEST(SelectAggregators, StripesHaveOneWriterEach) {
  const Machine m = alike(10, node_of(8));
  const auto count = [&](Selection selection, int stripes) {
    return count_aggregators(selection, {m, {}, Counting::stripes, stripes});
  };
  EXPECT_EQ(count(Selection::spread, 24), 24);
  EXPECT_EQ(count(Selection::one_per_node, 24), 8) << "the most up to 10 that divide 24";
  EXPECT_EQ(count(Selection::one_per_node, 13), 1);
  EXPECT_EQ(count(Selection::one_per_node, 4), 4);
  EXPECT_EQ(count(Selection::one_per_node, 0), 10) << "automatic, as the stripes are not known";
  Hints hints;
  hints.aggregators = 3;
  EXPECT_EQ(count_aggregators(Selection::spread, {m, hints, Counting::stripes, 24}), 24);
  EXPECT_EQ(count_aggregators(Selection::spread, {m, hints, Counting::automatic, 24}), 10);
  EXPECT_EQ(select_aggregators(Selection::dealt, {m, hints, Counting::stripes, 24}).size(), 24u);
}

TEST(SelectAggregators, EveryPolicyKeepsTheLimitsOfHosts) {
  Machine m = machine_of({node_of(8, 4, 2), node_of(8, 4, 2), node_of(8, 4, 2)});
  for (int i = 0; i < 3; ++i)
    m.nodes.edit()[static_cast<std::size_t>(i)].name = std::string(1, static_cast<char>('a' + i));
  Hints hints;
  hints.host_limits = {{"b", 2}, {"c", 0}, {"*", 1}};
  for (const Selection selection : all)
    for (hints.aggregators = 0; hints.aggregators < 30; hints.aggregators += 7) {
      std::vector<int> counts(3, 0);
      std::set<std::pair<int, int>> seats;
      for (const Seat& seat : select_aggregators(selection, {m, hints})) {
        ++counts.at(static_cast<std::size_t>(seat.node));
        seats.insert({seat.node, seat.local_rank});
        EXPECT_LT(seat.local_rank, 8);
      }
      EXPECT_LE(counts[0], 1) << name_of(selection);
      EXPECT_LE(counts[1], 2) << name_of(selection);
      EXPECT_EQ(counts[2], 0) << name_of(selection);
      EXPECT_EQ(static_cast<int>(seats.size()), counts[0] + counts[1])
          << name_of(selection) << ": one rank twice";
    }
  hints.host_limits = {{"z", 1}};
  for (const Selection selection : all)
    EXPECT_EQ(select_aggregators(selection, {m, hints}), (std::vector<Seat>{Seat{}}));
}

}  // namespace
}  // namespace collio::policy
