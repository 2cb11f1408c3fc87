// Who aggregates: the spread over a node's ranks, the deal over nodes, and the hints that limit it.
#include "policy/aggregators/aggregators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "networks.hpp"

namespace collio::policy {
namespace {

using machine::Machine;

Machine machine_of(std::vector<machine::Node> nodes, int per_core = 1) {
  Machine m{std::move(nodes), {}};
  m.storage.aggregators_per_core = per_core;
  return m;
}

std::vector<int> local_ranks(int ranks, int aggregators) {
  std::vector<int> out;
  for (int i = 0; i < aggregators; ++i) out.push_back(Spread{ranks, aggregators}.local_rank(i));
  return out;
}

std::map<int, int> per_node(const std::vector<Seat>& seats) {
  std::map<int, int> counts;
  for (const Seat& seat : seats) ++counts[seat.node];
  return counts;
}

TEST(Aggregators, SpreadLikeThePapersExample) {
  EXPECT_EQ(local_ranks(8, 3), (std::vector<int>{0, 3, 6}));
  EXPECT_EQ(local_ranks(8, 1), (std::vector<int>{0}));
  EXPECT_EQ(local_ranks(8, 4), (std::vector<int>{0, 2, 4, 6}));
  EXPECT_EQ(local_ranks(5, 5), (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(Aggregators, SpreadNeverRepeatsNorLeavesTheNode) {
  for (int q = 1; q <= 70; ++q) {
    for (int c = 1; c <= q; ++c) {
      const std::vector<int> at = local_ranks(q, c);
      ASSERT_EQ(at.front(), 0);
      ASSERT_LT(at.back(), q);
      for (std::size_t i = 1; i < at.size(); ++i) {
        const int gap = at[i] - at[i - 1];
        ASSERT_TRUE(gap == q / c || gap == q / c + 1) << q << " ranks, " << c << " aggregators";
      }
    }
  }
}

TEST(Aggregators, ByDefaultFollowTheCores) {
  const auto counts = [](std::vector<machine::Node> nodes, int per_core) {
    return per_node(choose_aggregators(machine_of(std::move(nodes), per_core), {}));
  };
  EXPECT_EQ(counts({{"a", 8, 2}}, 1), (std::map<int, int>{{0, 2}}));
  EXPECT_EQ(counts({{"a", 8, 2}}, 3), (std::map<int, int>{{0, 6}}));
  EXPECT_EQ(counts({{"a", 8, 2}}, 100), (std::map<int, int>{{0, 8}}));
  EXPECT_EQ(counts({{"a", 8, 0}}, 4), (std::map<int, int>{{0, 1}}));
  EXPECT_EQ(counts({{"a", 8, 2}, {"b", 8, 2}}, 2), (std::map<int, int>{{0, 4}, {1, 4}}));
  EXPECT_EQ(counts({{"a", 8, 2}, {"b", 3, 64}, {"c", 4, 1}}, 1),
            (std::map<int, int>{{0, 2}, {1, 3}, {2, 1}}));
}

TEST(Aggregators, BehindANetworkAreOneForEachEightCores) {
  const auto seats = choose_aggregators(machine_of({{"a", 8, 2}, {"b", 16, 64}}, 0), {});
  EXPECT_EQ(seats,
            (std::vector<Seat>{{0, 0}, {1, 0}, {1, 2}, {1, 4}, {1, 6}, {1, 8}, {1, 10}, {1, 12}, {1, 14}}));
  const std::vector<machine::Node> nodes(256, {"n", 64, 64});
  EXPECT_EQ(choose_aggregators(machine_of(nodes, 0), {}).size(), 2048U);
}

TEST(Aggregators, OfManyNodesBehindANetworkAreFewerButOneForEach32Cores) {
  const std::vector<machine::Node> many(512, {"n", 64, 64});
  EXPECT_EQ(choose_aggregators(machine_of(many, 0), {}).size(), 2048U);
  const std::vector<machine::Node> most(4096, {"n", 64, 64});
  EXPECT_EQ(choose_aggregators(machine_of(most, 0), {}).size(), 8192U);
  const std::vector<machine::Node> small(4096, {"n", 16, 16});
  EXPECT_EQ(choose_aggregators(machine_of(small, 0), {}).size(), 4096U);
}

TEST(Aggregators, AreDealtRoundRobinOverNodes) {
  Hints h;
  h.aggregators = 5;
  const auto seats = choose_aggregators(machine_of({{"a", 4, 4}, {"b", 4, 4}, {"c", 1, 4}}), h);
  EXPECT_EQ(seats, (std::vector<Seat>{{0, 0}, {1, 0}, {2, 0}, {0, 2}, {1, 2}}));
}

TEST(Aggregators, FewerThanNodesAreSpreadOverThem) {
  const Machine m = machine_of(std::vector<machine::Node>(8, {"n", 4, 4}));
  const auto nodes = [](const Machine& machine, int count) {
    Hints h;
    h.aggregators = count;
    std::vector<int> found;
    for (const Seat& seat : choose_aggregators(machine, h)) found.push_back(seat.node);
    return found;
  };
  EXPECT_EQ(nodes(m, 1), (std::vector<int>{0}));
  EXPECT_EQ(nodes(m, 2), (std::vector<int>{0, 4}));
  EXPECT_EQ(nodes(m, 3), (std::vector<int>{0, 2, 5}));
  EXPECT_EQ(nodes(m, 10), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 0, 4})) << "and the last ones of more";
}

TEST(Aggregators, FewerThanNodesAreSpreadOverRacks) {
  // Ranks are on the nodes of two racks in turn.
  Machine m = machine_of(std::vector<machine::Node>(4, {"n", 4, 4}));
  m.network = std::make_shared<const machine::Network>(machine::two_racks());
  for (const int node : {0, 1, 2, 3})
    m.nodes.edit()[static_cast<std::size_t>(node)].network_node = node % 2 * 2 + node / 2;
  Hints h;
  h.aggregators = 2;
  EXPECT_EQ(per_node(choose_aggregators(m, h)), (std::map<int, int>{{0, 1}, {1, 1}}));
  for (const int node : {0, 1, 2, 3}) m.nodes.edit()[static_cast<std::size_t>(node)].network_node = node;
  EXPECT_EQ(per_node(choose_aggregators(m, h)), (std::map<int, int>{{0, 1}, {2, 1}}));
}

TEST(Aggregators, CountFollowsCbNodesWithinTheRanksThereAre) {
  const Machine m = machine_of({{"a", 4, 2}, {"b", 4, 2}});
  Hints h;
  for (const int asked : {1, 2, 3, 7, 8, 9, 1000000}) {
    h.aggregators = asked;
    const auto seats = choose_aggregators(m, h);
    ASSERT_EQ(seats.size(), static_cast<std::size_t>(std::min(asked, 8)));
    std::set<std::pair<int, int>> distinct;
    for (const Seat& s : seats) distinct.insert({s.node, s.local_rank});
    ASSERT_EQ(distinct.size(), seats.size());
  }
}

TEST(Aggregators, HaveAnotherRankOfTheirNodeBesideThem) {
  const Machine m = machine_of({{"a", 4, 4}, {"b", 3, 4}, {"c", 1, 4}});
  EXPECT_EQ(seats_beside({{0, 0}, {1, 0}, {2, 0}, {0, 2}}, m),
            (std::vector<Seat>{{0, 1}, {1, 1}, {2, 0}, {0, 3}}));
  EXPECT_EQ(seats_beside({{0, 3}, {1, 2}}, m), (std::vector<Seat>{{0, 0}, {1, 0}}))
      << "behind the last: the first";
  EXPECT_EQ(seats_beside({{0, 0}, {0, 1}, {0, 2}}, m), (std::vector<Seat>{{0, 3}, {0, 1}, {0, 2}}))
      << "none is free for the second and third";
}

TEST(Aggregators, SpareSeatsFillTheCoresOrTheHostList) {
  const Machine m =
      machine_of({{.name = "a", .ranks = 4, .cores = 3}, {.name = "b", .ranks = 64, .cores = 64}});
  Hints hints;
  hints.aggregators = 2;
  const std::vector<Seat> seats = choose_aggregators(m, hints);
  const std::vector<Seat> spare = spare_seats(m, hints, seats);
  std::set<std::pair<int, int>> all;
  for (const auto* some : {&seats, &spare})
    for (const Seat& seat : *some) all.insert({seat.node, seat.local_rank});
  EXPECT_EQ(all.size(), seats.size() + spare.size()) << "no rank twice";
  EXPECT_EQ(per_node(spare), (std::map<int, int>{{0, 2}, {1, 15}}));
  hints.host_limits = {{"b", 3}};
  EXPECT_EQ(per_node(spare_seats(m, hints, {{1, 0}})), (std::map<int, int>{{1, 2}}));
  EXPECT_EQ(spare_seats(m, hints, {{1, 0}, {1, 5}, {1, 63}}), std::vector<Seat>()) << "the list's limit";
  hints.host_limits.clear();
  hints.who = Selection::one_per_node;
  EXPECT_EQ(spare_seats(m, hints, seats), std::vector<Seat>()) << "a hint says which ranks aggregate";
}

TEST(Aggregators, HostListLimitsAndExcludes) {
  const Machine m = machine_of({{"a", 4, 4}, {"b", 4, 4}, {"c", 4, 4}});
  const auto nodes = [&](const std::string& list) {
    return per_node(choose_aggregators(m, parse_hints({{"cb_config_list", list}})));
  };
  EXPECT_EQ(nodes("*:1"), (std::map<int, int>{{0, 1}, {1, 1}, {2, 1}}));
  EXPECT_EQ(nodes("b:2"), (std::map<int, int>{{1, 2}}));
  EXPECT_EQ(nodes("b"), (std::map<int, int>{{1, 1}}));
  EXPECT_EQ(nodes("a:0,*:*"), (std::map<int, int>{{1, 4}, {2, 4}}));
  EXPECT_EQ(nodes("a:3,*:1"), (std::map<int, int>{{0, 3}, {1, 1}, {2, 1}}));
}

TEST(Aggregators, HostListLimitsWhatCbNodesAsksFor) {
  const Machine m = machine_of({{"a", 4, 4}, {"b", 4, 4}});
  EXPECT_EQ(choose_aggregators(m, parse_hints({{"cb_config_list", "a:2,b:1"}, {"cb_nodes", "8"}})).size(),
            3u);
  EXPECT_EQ(choose_aggregators(m, parse_hints({{"cb_config_list", "*:*"}, {"cb_nodes", "1"}})),
            (std::vector<Seat>{{0, 0}}));
}

TEST(Aggregators, HostListThatNamesNoNodeLeavesOne) {
  const Machine m = machine_of({{"a", 4, 4}, {"b", 4, 4}});
  EXPECT_EQ(choose_aggregators(m, parse_hints({{"cb_config_list", "elsewhere:4"}})),
            (std::vector<Seat>{{0, 0}}));
  EXPECT_EQ(choose_aggregators(m, parse_hints({{"cb_config_list", "*:0"}, {"cb_nodes", "4"}})),
            (std::vector<Seat>{{0, 0}}));
}

}  // namespace
}  // namespace collio::policy
