#include "policy/aggregators/local_aggregators.hpp"

#include <gtest/gtest.h>

#include <map>

namespace collio::policy {
namespace {

machine::Machine machine_of(const std::vector<int>& ranks) {
  machine::Machine m;
  for (const int r : ranks) m.nodes.edit().push_back({"node", r, r});
  return m;
}

TEST(LocalAggregators, AreSpreadAsInThePaper) {
  const Teams teams{8, 3};
  EXPECT_EQ(teams.first_rank(0), 0);
  EXPECT_EQ(teams.first_rank(1), 3);
  EXPECT_EQ(teams.first_rank(2), 6);
}

TEST(LocalAggregators, EveryRankBelongsToTheNearestAtOrBelowIt) {
  for (int ranks = 1; ranks <= 40; ++ranks) {
    for (int count = 1; count <= ranks; ++count) {
      const Teams teams{ranks, count};
      std::vector<int> sizes(static_cast<std::size_t>(count), 0);
      for (int r = 0; r < ranks; ++r) {
        const int team = teams.team_of(r);
        EXPECT_LE(teams.first_rank(team), r);
        if (team + 1 < count) {
          EXPECT_GT(teams.first_rank(team + 1), r);
        }
        ++sizes[static_cast<std::size_t>(team)];
      }
      for (int t = 0; t < count; ++t)
        EXPECT_EQ(teams.size(t), sizes[static_cast<std::size_t>(t)]) << ranks << ' ' << count;
    }
  }
}

TEST(LocalAggregators, TheTotalIsDealtOverTheNodes) {
  Hints hints;
  EXPECT_EQ(make_layers(machine_of({8, 8, 4}), hints).local_aggregators(), 3);
  hints.local_aggregators = 7;
  const Layers layers = make_layers(machine_of({8, 8, 4}), hints);
  EXPECT_EQ(layers.teams[0].count, 3);
  EXPECT_EQ(layers.teams[1].count, 2);
  EXPECT_EQ(layers.teams[2].count, 2);
  hints.local_aggregators = 1000;
  EXPECT_EQ(make_layers(machine_of({8, 8, 4}), hints).local_aggregators(), 20);
  hints.local_aggregators_per_node = 2;
  EXPECT_EQ(make_layers(machine_of({8, 8, 1}), hints).local_aggregators(), 5);
}

/// Sends one message per team along the hops, and counts what every node gets.
std::map<int, int> receives(const Layers& layers, int domain, int home) {
  std::map<int, int> got;
  const int nodes = static_cast<int>(layers.teams.size());
  for (int n = 0; n < nodes; ++n) {
    if (n == home) continue;
    const bool meets = layers.nodes_per_group > 1 && layers.group_of(n) != layers.group_of(home) &&
                       layers.relay(n, domain) == n;
    got[layers.next_hop(n, domain, home)] += meets ? 1 : layers.teams[static_cast<std::size_t>(n)].count;
  }
  return got;
}

TEST(LocalAggregators, EveryNodeKnowsHowManyMessagesItGets) {
  for (const int nodes : {1, 2, 3, 5, 8, 13}) {
    for (int group = 1; group <= nodes; ++group) {
      Hints hints;
      hints.nodes_per_group = group;
      hints.local_aggregators = 2 * nodes + 1;
      const Layers layers =
          make_layers(machine_of(std::vector<int>(static_cast<std::size_t>(nodes), 4)), hints);
      for (int domain = 0; domain < 4; ++domain) {
        for (int home = 0; home < nodes; ++home) {
          auto got = receives(layers, domain, home);
          for (int n = 0; n < nodes; ++n)
            EXPECT_EQ(layers.senders_to(n, domain, home), got[n])
                << nodes << " nodes by " << group << ", node " << n;
        }
      }
    }
  }
}

TEST(LocalAggregators, PiecesGetHomeInOneHopOrTwo) {
  for (int nodes = 1; nodes <= 13; ++nodes) {
    for (int group = 1; group <= nodes; ++group) {
      Hints hints;
      hints.nodes_per_group = group;
      const Layers layers =
          make_layers(machine_of(std::vector<int>(static_cast<std::size_t>(nodes), 4)), hints);
      for (int home = 0; home < nodes; ++home) {
        for (int start = 0; start < nodes; ++start) {
          int at = start, hops = 0;
          for (; at != home && hops < 3; ++hops) at = layers.next_hop(at, start + home, home);
          EXPECT_EQ(at, home);
          EXPECT_LE(hops, group > 1 ? 2 : 1);
        }
      }
    }
  }
}

TEST(LocalAggregators, GroupsSendOneMessageEach) {
  Hints hints;
  hints.nodes_per_group = 4;
  const Layers layers = make_layers(machine_of(std::vector<int>(16, 8)), hints);
  // 3 nodes of the home's own group, and one of each of the 3 others.
  EXPECT_EQ(layers.senders_to(0, 0, 0), 6);
  hints.nodes_per_group = 1;
  EXPECT_EQ(make_layers(machine_of(std::vector<int>(16, 8)), hints).senders_to(0, 0, 0), 15);
}

}  // namespace
}  // namespace collio::policy
