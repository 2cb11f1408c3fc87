// Policies side by side in one setting, and the four strategies of Tessier et al. (COM-HPC 2016) on a machine
// like theirs.
#include "simulate/compare.hpp"

#include <gtest/gtest.h>

#include <map>

#include "planner/accesses.hpp"

namespace collio::simulate {
namespace {

/// Four nodes on a switch; rank r has bytes [100 r, 100 r + 100).
struct Small {
  machine::Topology topology{machine::SingleSwitch{4, {1000, 0}}};
  Job job{8, 2, {0, 800}, [](int rank) { return std::vector{core::Pattern::contiguous(100 * rank, 100)}; }};

  [[nodiscard]] Setting setting() const {
    Setting s{topology, job, {3, 2, 1, 0}, std::vector<int>(4, machine::no_vertex), {}, {}};
    for (int node = 0; node < 4; ++node)
      s.machine.nodes.edit().push_back({.name = "n", .ranks = 2, .cores = 2});
    s.machine.storage.aggregators_per_core = 0;
    s.unit_bytes = 1, s.window_bytes = 50;
    return s;
  }
};

TEST(Compare, ARowSaysWhatItsPoliciesComeTo) {
  const Small small;
  const Setting setting = small.setting();
  ASSERT_TRUE(check_setting(setting).ok());
  Comparer comparer(setting);
  const Comparison even = comparer.assignments(policy::Cut::even, policy::Selection::one_per_node);
  ASSERT_EQ(even.rows.size(), 4u);
  for (const Row& row : even.rows) {
    EXPECT_EQ(row.domains, 4);
    EXPECT_EQ(row.rounds, 4) << "200 bytes in windows of 50";
    EXPECT_EQ(row.measures.bytes, 800);
    EXPECT_EQ(row.measures.bytes_inside_nodes, 800) << "every node has what it serves";
    EXPECT_EQ(row.two_phase_messages, 0);
    EXPECT_FALSE(row.storage);
  }
  EXPECT_EQ(even.chosen().assignment, policy::Assignment::in_order);
  // Stripes of 50 on 4 aggregators: a rank has two stripes, one each for two aggregators.
  Setting stripes = setting;
  stripes.unit_bytes = 50;
  const Comparison cyclic =
      Comparer(stripes).assignments(policy::Cut::static_cyclic, policy::Selection::one_per_node);
  EXPECT_EQ(cyclic.rows[0].two_phase_messages, 12) << "16, and 4 that stay";
  EXPECT_EQ(cyclic.rows[0].two_layer_messages, 12);
}

TEST(Compare, WhoIsElectedServesWhereTheBytesAre) {
  const Small small;
  const Setting setting = small.setting();
  for (const policy::Election election : {policy::Election::greedy, policy::Election::topology_aware}) {
    const Comparison elected = Comparer(setting).assignments(policy::Cut::even, election);
    EXPECT_EQ(elected.rows[0].measures.bytes_inside_nodes, 800) << policy::name_of(election);
    EXPECT_EQ(elected.rows[0].aggregator_nodes, 4);
  }
}

TEST(Compare, ASettingThatDoesNotFitIsNamed) {
  const Small small;
  Setting setting = small.setting();
  setting.nodes = {0, 1, 2};
  EXPECT_EQ(check_setting(setting).message, "the job has 4 nodes; allowed: 3");
  setting.nodes = {0, 1, 2, 4};
  EXPECT_EQ(check_setting(setting).message, "nodes[3] is 4; allowed: 0 to 3");
}

/// 512 nodes of a 5-D torus with 16 ranks each, in four sets of 128 nodes with an I/O node behind two
/// bridges; every rank has up to 2 MB.
Job job_of_tessier(int seed) {
  std::string words[] = {"test", "--seed", std::to_string(seed)};
  char* pointers[] = {words[0].data(), words[1].data(), words[2].data()};
  bench::Options options(3, pointers);
  for (const planner::AccessEntry& entry : planner::access_table())
    if (entry.name == std::string("random")) {
      Job job = entry.make(options, 8192);
      job.ranks_per_node = 16;
      return job;
    }
  throw std::runtime_error("no pattern random");
}

TEST(Strategies, TopologyAwareCostsLeastAndTheOthersMore) {
  const machine::Topology torus(
      machine::TorusWithSets{{{4, 4, 4, 4, 2}, {1.8e9, 20e-6}}, 128, 2, {2e9, 20e-6}});
  constexpr policy::Election all[] = {policy::Election::greedy, policy::Election::shortest_path,
                                      policy::Election::longest_path, policy::Election::topology_aware,
                                      policy::Election::contention_aware};
  std::map<policy::Election, double> cost_s, busiest_s;
  constexpr int seeds = 8;
  for (int seed = 1; seed <= seeds; ++seed) {
    const Job job = job_of_tessier(seed);
    std::vector<int> nodes(512), storage(512), in_order(16);
    for (int node = 0; node < 512; ++node)
      nodes[static_cast<std::size_t>(node)] = node,
      storage[static_cast<std::size_t>(node)] = torus.io_node(node);
    for (int i = 0; i < 16; ++i) in_order[static_cast<std::size_t>(i)] = i;
    const Demand demand = demand_of(job, CutFile(policy::cut_evenly({job.span, 16, 1 << 20, 16 << 20})));
    const core::Matrix<policy::ElectionCost> costs =
        policy::election_costs({torus, nodes, demand.bytes, storage});
    std::map<policy::Election, double> of_seed;
    for (const policy::Election election : all) {
      const std::vector<int> elected =
          policy::elect_aggregators(election, {torus, nodes, demand.bytes, storage});
      const StorageWay way = storage_way({torus, nodes, demand.bytes, elected}, {storage, costs}, in_order);
      cost_s[election] += of_seed[election] = way.mean_cost_s;
      busiest_s[election] += way.busiest.time_s;
    }
    for (const policy::Election election : all)
      EXPECT_LE(of_seed[policy::Election::topology_aware], of_seed[election]) << "seed " << seed;
  }
  EXPECT_LT(cost_s[policy::Election::shortest_path], cost_s[policy::Election::greedy]);
  EXPECT_LT(cost_s[policy::Election::shortest_path], cost_s[policy::Election::longest_path]);
  // With the ways to storage on the links, the first node of a part meets most others.
  for (const policy::Election election : all)
    EXPECT_LE(busiest_s[election], busiest_s[policy::Election::greedy]) << policy::name_of(election);
  EXPECT_LT(busiest_s[policy::Election::topology_aware], 0.9 * busiest_s[policy::Election::greedy]);
  EXPECT_LT(busiest_s[policy::Election::longest_path], busiest_s[policy::Election::greedy]);
  EXPECT_LT(busiest_s[policy::Election::shortest_path], busiest_s[policy::Election::longest_path]);
  for (const policy::Election election : all)
    EXPECT_LE(busiest_s[policy::Election::contention_aware], busiest_s[election])
        << policy::name_of(election);
}

}  // namespace
}  // namespace collio::simulate
