// Measures of placements: an example of Liu, Zhou & Guo's size, bytes to and from aggregators, and what is no
// problem.
#include "policy/placement/placement.hpp"

#include <gtest/gtest.h>

#include "core/linear_assignment.hpp"
#include "golden.hpp"
#include "networks.hpp"
#include "policy/placement/assignment.hpp"

namespace collio::policy {
namespace {

using Matrix = core::Matrix<std::int64_t>;

/// The example of tests/golden/make_tatp.py. Nodes of the placement are its ranks where distances are between
/// ranks, else its nodes.
struct Example {
  test::GoldenRecord record = test::read_golden("tatp.txt", "example").at(0);
  machine::Topology tree = machine::Tree{2, 2, {1, 0}, {1, 0}};  // a byte a second: seconds are elements
  std::vector<int> node = record.numbers<int>("node");

  /// Every rank has a seat.
  [[nodiscard]] PlacementProblem by_node() const {
    const Matrix by_rank = record.matrix<std::int64_t>("communication");
    Matrix bytes({4, by_rank.columns()});
    for (int rank = 0; rank < by_rank.rows(); ++rank)
      for (int d = 0; d < by_rank.columns(); ++d)
        bytes(node[static_cast<std::size_t>(rank)], d) += by_rank(rank, d);
    return {tree, {0, 1, 2, 3}, bytes, node};
  }
};

TEST(Placement, TheWorkloadIsDistancesTimesBytes) {
  const Example e;
  const Matrix distance = e.record.matrix<std::int64_t>("distance"),
               bytes = e.record.matrix<std::int64_t>("communication");
  Matrix work({6, 3});
  for (int p = 0; p < 6; ++p)
    for (int q = 0; q < 6; ++q)
      for (int d = 0; d < 3; ++d) work(p, d) += distance(p, q) * bytes(q, d);
  ASSERT_EQ(work, e.record.matrix<std::int64_t>("workload"));
  // Per node, a byte that stays counts 1: ranks of a node share a row, which is theirs but for what they have
  // themselves.
  PlacementProblem problem = e.by_node();
  problem.hops_inside_node = 1;
  const Matrix by_node = workload(problem);
  for (int p = 0; p < 6; ++p)
    for (int d = 0; d < 3; ++d)
      EXPECT_EQ(by_node(e.node[static_cast<std::size_t>(p)], d), work(p, d) + bytes(p, d));
  EXPECT_EQ(by_node(3, 0), 0) << "no rank is there to serve";
}

TEST(Placement, TheExamplesDomainsGoWhereThePaperPutsThem) {
  const Example e;
  const Matrix work = e.record.matrix<std::int64_t>("workload");
  Matrix cost({3, 6});
  for (int d = 0; d < 3; ++d)
    for (int p = 0; p < 6; ++p) cost(d, p) = work(p, d);
  const std::vector<int> ranks = core::assign_rows(cost);
  EXPECT_EQ(ranks, e.record.numbers<int>("topology_aware"));
  EXPECT_EQ(core::cost_of(cost, ranks), e.record.number<std::int64_t>("topology_aware_hop_bytes"));
  EXPECT_EQ(core::cost_of(cost, e.record.numbers<int>("classical")),
            e.record.number<std::int64_t>("classical_hop_bytes"));
}

TEST(Placement, TheExamplesBusiestLinkHasHalfAsMuchAfterwards) {
  const Example e;
  const PlacementProblem problem = e.by_node();
  for (const std::string which : {"classical", "topology_aware"}) {
    const std::vector<int> ranks = e.record.numbers<int>(which),
                           expected = e.record.numbers<int>(which + "_busiest");
    EXPECT_EQ(measure(problem, ranks).busiest.bytes, expected[0]) << which;
    std::vector<machine::Flow> flows;
    for (int node = 0; node < 4; ++node)
      for (int d = 0; d < 3; ++d)
        flows.push_back({node, e.node[static_cast<std::size_t>(ranks[static_cast<std::size_t>(d)])],
                         problem.bytes(node, d)});
    const machine::LinkLoads loads = load_links(problem.topology, flows);
    std::int64_t both = 0;
    for (std::size_t link = 0; link < loads.bytes.size(); link += 2)
      both = std::max(both, loads.bytes[link] + loads.bytes[link + 1]);
    EXPECT_EQ(both, expected[1]) << which;
  }
  // Per node the least hop-bytes put two domains on the same node as well.
  const std::vector<int> ours = assign_domains(Assignment::least_hop_bytes, problem);
  EXPECT_EQ(e.node[static_cast<std::size_t>(ours[0])], 1);
  EXPECT_EQ(e.node[static_cast<std::size_t>(ours[2])], 1);
}

TEST(Placement, MeasuresTellWhereBytesGo) {
  const machine::Topology racks(std::make_shared<const machine::Network>(machine::two_racks()));
  PlacementProblem p{
      racks, {3, 0}, Matrix({2, 2}), {0, 1, 1}};  // the job has node3 and node0; two aggregators on node0
  Matrix bytes({2, 2});
  bytes(0, 0) = 100, bytes(0, 1) = 7, bytes(1, 1) = 40;
  p.bytes = bytes;
  const PlacementMeasures m = measure(p, {2, 1});
  EXPECT_EQ(m.bytes, 147);
  EXPECT_EQ(m.bytes_inside_nodes, 40);
  EXPECT_EQ(m.hop_bytes, 4 * 107);
  EXPECT_EQ(m.seat_bytes, (std::vector<std::int64_t>{0, 47, 100}));
  EXPECT_DOUBLE_EQ(m.imbalance, 100.0 * 3 / 147);
  EXPECT_EQ(m.busiest.bytes, 107);
  EXPECT_EQ(m.busiest.hop.link, 4);
  EXPECT_FALSE(m.busiest.hop.forward);
  p.reads = true;
  EXPECT_TRUE(measure(p, {2, 1}).busiest.hop.forward) << "bytes that are read go the other way";
  p.hops_inside_node = 1;
  EXPECT_EQ(measure(p, {2, 1}).hop_bytes, 4 * 107 + 40);
}

TEST(Placement, SeatsOnANodeAreTheOneInOrderAndThenAggregatorsBeforeSpareOnes) {
  const machine::Topology t(machine::SingleSwitch{2, {1e9, 1e-6}});
  const PlacementProblem p{.topology = t,
                           .nodes = {0, 1},
                           .bytes = core::Matrix<std::int64_t>({2, 3}),
                           .seats = {0, 1, 0, 1, 0},
                           .spare = 2};
  EXPECT_EQ(room_of_nodes(p), (std::vector{3, 2}));
  EXPECT_EQ(room_of_nodes(p, Seats::aggregators), (std::vector{2, 1}));
  EXPECT_EQ(seats_at(p, {0, 1, 0}), (std::vector{0, 1, 2}));
  EXPECT_EQ(seats_at(p, {0, 0, 0}), (std::vector{0, 4, 2}));
  EXPECT_EQ(seats_at(p, {1, 0, 1}), (std::vector{1, 0, 3}));
}

TEST(Placement, NoBytesAreEven) {
  const machine::Topology t(machine::SingleSwitch{2, {1e9, 0}});
  const PlacementMeasures m = measure({t, {0, 1}, Matrix({2, 1}), {0, 1}}, {0});
  EXPECT_EQ(m.imbalance, 1);
  EXPECT_EQ(m.busiest.bytes, 0);
}

TEST(Placement, WhatIsNoProblemIsNamed) {
  const machine::Topology t(machine::SingleSwitch{2, {1e9, 0}});
  const auto say = [&](std::vector<int> nodes, std::vector<int> seats, std::int64_t bytes) {
    Matrix demand({2, 1});
    demand(1, 0) = bytes;
    return check_placement({t, std::move(nodes), demand, std::move(seats)}).message;
  };
  EXPECT_EQ(say({0, 1}, {1, 0}, 5), "");
  EXPECT_EQ(say({0, 2}, {0}, 5), "nodes[1] is 2; allowed: 0 to 1");
  EXPECT_EQ(say({0, 1}, {0, -1}, 5), "seats[1] is -1; allowed: 0 to 1");
  EXPECT_EQ(say({0, 1}, {}, 5), "there are no seats");
  EXPECT_EQ(say({0}, {0}, 5), "bytes has 2 rows; allowed: one for each of 1 nodes");
  EXPECT_EQ(say({0, 1}, {0}, -5), "bytes of node 1 has -5; allowed: 0 and more");
}

}  // namespace
}  // namespace collio::policy
