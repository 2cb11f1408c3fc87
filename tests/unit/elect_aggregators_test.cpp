// Elections of aggregators: two examples on a grid with storage behind I/O nodes, and what is special.
#include "policy/aggregators/elect_aggregators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "golden.hpp"
#include "networks.hpp"

namespace collio::policy {
namespace {

using Matrix = core::Matrix<std::int64_t>;

constexpr Election all[] = {Election::greedy, Election::shortest_path, Election::longest_path,
                            Election::topology_aware};

/// 8 x 8 nodes, one I/O node with two bridges: what tests/golden/make_election.py has.
const machine::Topology& grid() {
  static const machine::Topology topology(
      machine::TorusWithSets{{{8, 8}, {1.8e9, 20e-6}}, 64, 2, {1.8e9, 20e-6}});
  return topology;
}

ElectionProblem on_grid(Matrix bytes) {
  ElectionProblem p{grid(), {}, std::move(bytes), {}};
  for (int node = 0; node < 64; ++node) p.nodes.push_back(node), p.storage.push_back(grid().io_node(node));
  return p;
}

TEST(ElectAggregators, NamesComeBack) {
  EXPECT_EQ(core::value_named(words::who, "contention_aware"), Who(Election::contention_aware));
  for (const Election election : all)
    EXPECT_EQ(core::value_named(words::who, name_of(election)), Who(election));
  EXPECT_EQ(core::value_named(words::who, "random"), std::nullopt);
}

TEST(ElectAggregators, StrategiesElectWhomTheFormulasSay) {
  for (const test::GoldenRecord& example : test::read_golden("election.txt", "example")) {
    const ElectionProblem p = on_grid(example.matrix<std::int64_t>("bytes"));
    for (const Election election : all)
      EXPECT_EQ(elect_aggregators(election, p), example.numbers<int>(std::string(name_of(election))))
          << example.name << ": " << name_of(election);
    const core::Matrix<ElectionCost> costs = election_costs(p);
    const std::vector<int> elected = example.numbers<int>("topology_aware");
    for (int part = 0; part < 4; ++part) {
      const ElectionCost& cost = costs(elected[static_cast<std::size_t>(part)], part);
      const std::vector<double> expected = example.numbers<double>("cost", static_cast<std::size_t>(part));
      EXPECT_NEAR(cost.gather_s, expected[0], 1e-12);
      EXPECT_NEAR(cost.write_s, expected[1], 1e-12);
    }
  }
}

TEST(ElectAggregators, ANodeServesOnePartitionWhileOthersAreFree) {
  Matrix bytes({64, 5});
  for (int part = 0; part < 5; ++part)
    for (const int node : {10, 11, 12}) bytes(node, part) = 1000;
  for (const Election election : all) {
    const std::vector<int> elected = elect_aggregators(election, on_grid(bytes));
    EXPECT_EQ(std::set<int>(elected.begin(), elected.begin() + 3), (std::set<int>{10, 11, 12}))
        << name_of(election);
    EXPECT_NE(elected[3], elected[4]) << name_of(election);
  }
}

TEST(ElectAggregators, OnlyMembersAreElectedAndAnyoneWhereThereAreNone) {
  Matrix bytes({64, 3});
  bytes(40, 0) = bytes(50, 0) = 1, bytes(50, 2) = 7;
  EXPECT_EQ(elect_aggregators(Election::greedy, on_grid(bytes)), (std::vector<int>{40, 0, 50}));
  const std::vector<int> nearest = elect_aggregators(Election::shortest_path, on_grid(bytes));
  EXPECT_EQ(nearest[1], 0);
  EXPECT_EQ(nearest[2], 50);
}

TEST(ElectAggregators, PartsWithoutBytesTakeNoMemberOfOthers) {
  Matrix bytes({64, 66});
  bytes(0, 1) = 1000, bytes(1, 1) = 1;
  for (const Election election : {Election::greedy, Election::shortest_path, Election::topology_aware}) {
    const std::vector<int> elected = elect_aggregators(election, on_grid(bytes));
    EXPECT_EQ(elected[1], 0) << name_of(election);
    EXPECT_EQ(std::set<int>(elected.begin(), elected.end()).size(), 64U) << name_of(election);
    EXPECT_EQ(std::ranges::count(elected, 63), 1) << name_of(election);
  }
}

TEST(ElectAggregators, PartsAvoidTheLinksOfPartsBefore) {
  // The bridges are nodes 0 and 32; nodes 2 and 34 are as near to one as to the other, and the first part
  // goes by node 0.
  Matrix bytes({64, 2});
  bytes(1, 0) = 10'000'000, bytes(2, 0) = 1'000'000;
  bytes(2, 1) = bytes(34, 1) = 5'000'000;
  ElectionProblem p = on_grid(bytes);
  EXPECT_EQ(elect_aggregators(Election::topology_aware, p), (std::vector<int>{1, 2}));
  EXPECT_EQ(elect_aggregators(Election::contention_aware, p), (std::vector<int>{1, 34}));
  p.storage.assign(64, machine::no_vertex);
  EXPECT_EQ(elect_aggregators(Election::contention_aware, p), elect_aggregators(Election::topology_aware, p))
      << "nothing to avoid";
}

/// The least cost of all members by the formulas, one by one.
std::vector<int> by_all_costs(const ElectionProblem& p) {
  const core::Matrix<ElectionCost> costs = election_costs(p);
  std::vector<int> elected, served(p.nodes.size(), 0);
  for (int part = 0; part < p.bytes.columns(); ++part) {
    int best = -1;
    std::pair<int, double> least;
    for (int node = 0; node < p.bytes.rows(); ++node) {
      if (p.bytes(node, part) == 0) continue;
      const std::pair key(served[static_cast<std::size_t>(node)], costs(node, part).sum_s());
      if (best < 0 || key < least) best = node, least = key;
    }
    ++served[static_cast<std::size_t>(best)];
    elected.push_back(best);
  }
  return elected;
}

TEST(ElectAggregators, CandidatesThatAreNotLookedAtToTheEndHadNoChance) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 dice(seed);
  for (int trial = 0; trial < 20; ++trial) {
    Matrix bytes({64, 12});
    for (std::int64_t& b : bytes.values()) b = dice() % 4 ? 0 : dice() % 3 ? 50000 : dice() % 200000;
    for (int part = 0; part < 12; ++part) bytes(part, part) = 1;
    const ElectionProblem p = on_grid(bytes);
    EXPECT_EQ(elect_aggregators(Election::topology_aware, p), by_all_costs(p));
  }
}

TEST(ElectAggregators, ALargeElectionLooksAtTheHeaviestMembers) {
  // Two thousand nodes with bytes in all parts: more ways than are looked at. Of part 0 node 700 has most by
  // far, of part 1 node 900.
  constexpr int nodes = 2000, parts = 600;
  const machine::Topology one(machine::SingleSwitch{nodes, {1e9, 1e-6}});
  Matrix bytes({nodes, parts});
  for (int node = 0; node < nodes; ++node)
    for (int part = 0; part < parts; ++part) bytes(node, part) = 1000 + (node * 7 + part * 13) % 100;
  bytes(700, 0) = bytes(900, 1) = 50'000'000;
  ElectionProblem p{one, {}, bytes, std::vector<int>(nodes, machine::no_vertex)};
  ASSERT_GT(std::int64_t{nodes} * nodes * parts, most_ways_looked_at);
  for (int node = 0; node < nodes; ++node) p.nodes.push_back(node);
  const std::vector<int> elected = elect_aggregators(Election::topology_aware, p);
  EXPECT_EQ(elected[0], 700);
  EXPECT_EQ(elected[1], 900);
  EXPECT_EQ(std::set<int>(elected.begin(), elected.end()).size(), std::size_t{parts});
}

TEST(ElectAggregators, SlowLinksAndFarStorageCount) {
  // Two racks with slow uplinks; node 3 has most bytes, nodes 0 and 1 a few. Storage hangs at the core
  // switch, or at nothing known.
  const machine::Topology racks(std::make_shared<const machine::Network>(machine::two_racks()));
  Matrix bytes({4, 1});
  bytes(0, 0) = bytes(1, 0) = 1'000'000, bytes(3, 0) = 50'000'000;
  ElectionProblem p{racks, {0, 1, 2, 3}, bytes, {6, 6, 6, 6}};
  EXPECT_EQ(elect_aggregators(Election::topology_aware, p), (std::vector<int>{3}));
  const ElectionCost cost = election_costs(p)(3, 0);
  EXPECT_NEAR(cost.gather_s, 6e-6 + 1e6 / 50e6, 1e-12);
  EXPECT_NEAR(cost.write_s, 3e-6 + 52e6 / (3 * 50e6), 1e-12);
  p.storage.assign(4, machine::no_vertex);
  EXPECT_EQ(election_costs(p)(3, 0).write_s, 0);
}

}  // namespace
}  // namespace collio::policy
