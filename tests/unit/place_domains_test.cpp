// Domains go where their bytes are, or where the network wants them, and never two to one aggregator.
#include "policy/placement/place_domains.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "byte_list.hpp"
#include "machine/node_traffic.hpp"
#include "policy/aggregators/elect_aggregators.hpp"
#include "policy/placement/assignment.hpp"

namespace collio::policy {
namespace {

machine::Machine nodes_of_four(int nodes) {
  machine::Machine m;
  for (int i = 0; i < nodes; ++i)
    m.nodes.edit().push_back({.name = "n" + std::to_string(i), .ranks = 4, .cores = 4});
  return m;
}

Plan plan_of(int domains) {
  Plan plan;
  plan.path = Path::two_phase;
  plan.domains = cut_evenly({{0, domains * (1 << 20)}, domains, 4096, 1 << 20});
  return plan;
}

/// Node n has the bytes of domains n * k and following: what contiguous blocks by rank make.
core::Matrix<std::int64_t> in_blocks(int nodes, int domains) {
  core::Matrix<std::int64_t> bytes({nodes, domains});
  for (int d = 0; d < domains; ++d) bytes(d * nodes / domains, d) = 1 << 20;
  return bytes;
}

std::vector<int> dealt(int nodes, int seats) {
  std::vector<int> homes;
  for (int i = 0; i < seats; ++i) homes.push_back(i % nodes);
  return homes;
}

std::vector<machine::Flow> flows_of(const PlacedDomains& placed, int nodes) {
  const machine::Machine machine = nodes_of_four(nodes);
  machine::NodeTraffic traffic(machine);
  traffic.numbers() = placed.traffic.value();
  return traffic.flows();
}

TEST(PlaceDomains, BlocksStayOnTheirNodesThoughTheNetworkIsUnknown) {
  const PlacedDomains placed =
      place_domains(plan_of(8), nodes_of_four(4), Hints{}, {in_blocks(4, 8)}, dealt(4, 8));
  EXPECT_EQ(placed.after.bytes_inside_nodes, 8 << 20);
  EXPECT_LT(placed.before.bytes_inside_nodes, 8 << 20);
  EXPECT_EQ(flows_of(placed, 4), std::vector<machine::Flow>());
  EXPECT_FALSE(placed.network_known);
  EXPECT_TRUE(
      placing_text(placed).ends_with(", with all nodes on one switch at 10 Gbit/s: the network is unknown"));
}

TEST(PlaceDomains, DomainsWhoseBytesLieOnOneNodeBothStayThereOnSpareSeats) {
  core::Matrix<std::int64_t> bytes({3, 3});
  bytes(0, 0) = bytes(0, 1) = 1 << 20, bytes(1, 2) = 1 << 20;
  const std::vector<int> aggregators{0, 1, 2};
  Hints local;
  local.assignment = Assignment::locality_aware;
  const PlacedDomains fixed = place_domains(plan_of(3), nodes_of_four(3), local, {bytes}, aggregators);
  EXPECT_EQ(fixed.after.bytes_inside_nodes, 2 << 20);
  const PlacedDomains placed =
      place_domains(plan_of(3), nodes_of_four(3), Hints{}, {bytes}, SeatHomes({0, 1, 2, 1, 0}, 2));
  EXPECT_EQ(placed.seat_of_domain, (std::vector{0, 4, 1}));
  EXPECT_EQ(placed.after.bytes_inside_nodes, 3 << 20);
  EXPECT_EQ(placed.before.hop_bytes, fixed.before.hop_bytes) << "domains in order leave spare seats free";
}

TEST(PlaceDomains, NoAggregatorGetsTwoWhateverThePolicy) {
  test::Dice dice(5);
  for (int i = 0; i < 200; ++i) {
    const int nodes = static_cast<int>(dice.pick(2, 6)),
              seats = static_cast<int>(dice.pick(nodes, 3 * nodes)),
              domains = static_cast<int>(dice.pick(1, seats));
    core::Matrix<std::int64_t> bytes({nodes, domains});
    for (std::int64_t& b : bytes.values()) b = dice.chance(2) ? dice.pick(0, 100) : 0;
    Hints hints;
    if (i % 3 == 0) hints.who = static_cast<Election>(dice.pick(0, 3));
    if (i % 3 == 1) hints.assignment = static_cast<Assignment>(dice.pick(0, 3));
    const int spare = std::holds_alternative<Election>(hints.who) ? 0 : seats - domains;
    const PlacedDomains placed = place_domains(plan_of(domains), nodes_of_four(nodes), hints, {bytes},
                                               SeatHomes(dealt(nodes, seats), spare));
    const std::set<int> different(placed.seat_of_domain.begin(), placed.seat_of_domain.end());
    ASSERT_EQ(different.size(), static_cast<std::size_t>(domains));
    ASSERT_GE(*different.begin(), 0);
    ASSERT_LT(*different.rbegin(), seats);
  }
}

TEST(PlaceDomains, FlowsOfAReadGoTheOtherWay) {
  Plan plan = plan_of(2);
  Hints hints;
  hints.assignment = Assignment::in_order;
  core::Matrix<std::int64_t> bytes({2, 2});
  bytes(1, 0) = 7;
  EXPECT_EQ(flows_of(place_domains(plan, nodes_of_four(2), hints, {bytes}, {{0, 1}}), 2),
            (std::vector<machine::Flow>{{1, 0, 7}}));
  plan.direction = Direction::read;
  EXPECT_EQ(flows_of(place_domains(plan, nodes_of_four(2), hints, {bytes}, {{0, 1}}), 2),
            (std::vector<machine::Flow>{{0, 1, 7}}));
}

TEST(PlaceDomains, WithoutMemoryDomainsStayInOrder) {
  const PlacedDomains placed = without_memory(3);
  EXPECT_EQ(placed.how, "in_order");
  EXPECT_EQ(placed.seat_of_domain, (std::vector<int>{0, 1, 2}));
  EXPECT_FALSE(placed.traffic);
  EXPECT_EQ(placing_text(placed), "there is no memory to place domains");
}

TEST(PlaceDomains, AnElectedNodeWithoutRoomLeavesDomainsToOthers) {
  Hints hints;
  hints.who = Election::greedy;
  core::Matrix<std::int64_t> bytes({2, 3});
  for (int d = 0; d < 3; ++d) bytes(1, d) = 7;  // all on node 1, which has one of three
  const PlacedDomains placed = place_domains(plan_of(3), nodes_of_four(2), hints, {bytes}, {{0, 1, 0}});
  EXPECT_EQ(placed.seat_of_domain, (std::vector<int>{1, 0, 2}));
}

TEST(PlaceDomains, IsLeftOutWhereItCannotPay) {
  const Hints none;
  Hints in_order, asked;
  in_order.assignment = Assignment::in_order;
  asked.assignment = Assignment::locality_aware;
  const std::int64_t many = 1 << 30;
  EXPECT_EQ(against_placing(plan_of(4), nodes_of_four(2), none, many), InOrder::no);
  EXPECT_EQ(against_placing(plan_of(4), nodes_of_four(1), none, many), InOrder::one_node);
  EXPECT_EQ(against_placing(plan_of(4), nodes_of_four(2), none, 1000), InOrder::few_bytes);
  EXPECT_EQ(against_placing(plan_of(4), nodes_of_four(2), asked, 1000), InOrder::no);
  EXPECT_EQ(against_placing(plan_of(4), nodes_of_four(2), in_order, many), InOrder::hint);
  Plan independent = plan_of(4);
  independent.path = Path::independent;
  EXPECT_EQ(against_placing(independent, nodes_of_four(2), asked, many), InOrder::no_aggregators);
}

}  // namespace
}  // namespace collio::policy
