// Bytes between nodes: sums over flows, and what a plan foresees of them.
#include "policy/placement/traffic.hpp"

#include <gtest/gtest.h>

#include <map>

#include "machine/locate_nodes.hpp"
#include "machine/node_traffic.hpp"
#include "networks.hpp"
#include "policy/aggregators/aggregators.hpp"
#include "policy/placement/place_domains.hpp"

namespace collio {
namespace {

using machine::Flow;
using machine::Machine;
using machine::NodeTraffic;
using policy::Direction;

constexpr std::int64_t MiB = 1 << 20;

Machine nodes_of(const std::vector<int>& ranks) {
  Machine m;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    m.nodes.edit().push_back({"node" + std::to_string(i), ranks[i], 2});
  return m;
}

TEST(NodeTraffic, SumsFlowsByNodeAndPair) {
  const Machine m = nodes_of({2, 2, 2});
  NodeTraffic t(m);
  for (const Flow& flow : {Flow{0, 1, 10}, Flow{2, 1, 5}, Flow{0, 1, 1}, Flow{1, 1, 1000}, Flow{1, 0, 3}})
    t.add(flow);
  EXPECT_EQ(t.bytes(), 19);
  EXPECT_EQ(t.sent(0), 11);
  EXPECT_EQ(t.received(1), 16);
  EXPECT_EQ(t.sent(2), 5);
  EXPECT_EQ(t.received(2), 0);
  EXPECT_EQ(t.flows(), (std::vector<Flow>{{0, 1, 11}, {1, 0, 3}, {2, 1, 5}}));
  EXPECT_EQ(t.hop_bytes(), 0);
}

TEST(NodeTraffic, LoadsTheLinksOfAKnownNetwork) {
  Machine m = nodes_of({2, 2});
  m.nodes.edit()[0].name = "node3";
  m.nodes.edit()[1].name = "node1";
  ASSERT_TRUE(locate_nodes(m, std::make_shared<const machine::Network>(machine::two_racks())).ok());
  NodeTraffic t(m);
  t.add({0, 1, 100});
  t.add({1, 0, 30});
  EXPECT_EQ(t.hop_bytes(), 520);
  EXPECT_EQ(t.busiest().bytes, 100);
  EXPECT_EQ(t.busiest().hop.link, 4);  // core to rack0, at half the nodes' rate; links 4 and 5 carry the same
  EXPECT_FALSE(t.busiest().hop.forward);
  EXPECT_DOUBLE_EQ(t.busiest().time_s, 2e-6);
}

TEST(NodeTraffic, NumbersOfSeveralRanksAddUp) {
  const Machine m = nodes_of({1, 1, 1});
  NodeTraffic one(m), other(m), both(m);
  one.add({0, 1, 4});
  other.add({2, 0, 8});
  for (const Flow& flow : {Flow{0, 1, 4}, Flow{2, 0, 8}}) both.add(flow);
  for (std::size_t i = 0; i < one.numbers().size(); ++i) one.numbers()[i] += other.numbers()[i];
  EXPECT_EQ(one.numbers(), both.numbers());
}

TEST(NodeTraffic, ManyNodesHaveNoMatrix) {
  const Machine m = nodes_of(std::vector<int>(NodeTraffic::most_nodes_in_matrix + 1, 1));
  NodeTraffic t(m);
  t.add({0, 64, 7});
  t.add({3, 0, 1});
  EXPECT_FALSE(t.has_matrix());
  EXPECT_TRUE(t.flows().empty());
  EXPECT_EQ(t.bytes(), 8);
  EXPECT_EQ(t.received(64), 7);
  EXPECT_LT(t.numbers().size(), 200u);
}

/// A machine, what is asked of it, and what follows.
struct Case {
  Machine machine;
  policy::Hints hints;
  std::vector<int> homes;
  policy::Layers layers;

  Case(Machine m, const std::map<std::string, std::string>& given)
      : machine(std::move(m)), hints(policy::parse_hints(given)) {
    for (const policy::Seat& seat : policy::choose_aggregators(machine, hints)) homes.push_back(seat.node);
    layers = make_layers(machine, hints);
  }
  [[nodiscard]] policy::Plan plan(std::int64_t low, std::int64_t bytes,
                                  Direction direction = Direction::write) const {
    policy::Digest d;
    d.low = low;
    d.high = low + bytes;
    d.bytes = bytes;
    d.pieces = bytes / 64;
    d.most_pieces = d.pieces / machine.ranks();
    d.offset_bits = 64;
    return make_plan({direction, d, static_cast<int>(homes.size())}, machine, hints);
  }
  [[nodiscard]] policy::MessageNodes passed() const { return {machine, layers}; }
  [[nodiscard]] std::vector<Flow> expected(const policy::Plan& plan, std::int64_t bytes) const {
    policy::ServedBytes served;
    served.add(plan, bytes, homes, layers);
    NodeTraffic traffic(machine);
    served.add_to(traffic, passed());
    return traffic.flows();
  }
};

TEST(ExpectedTraffic, EveryNodeSendsItsShareToTheNodesThatServe) {
  const Case c(nodes_of({2, 4, 2}), {{"cb_nodes", "2"}, {"collio_path", "two_phase"}});
  ASSERT_EQ(c.homes, (std::vector<int>{0, 1}));
  const policy::Plan plan = c.plan(0, 16 * MiB);
  EXPECT_EQ(c.expected(plan, 16 * MiB),
            (std::vector<Flow>{{0, 1, 2 * MiB}, {1, 0, 4 * MiB}, {2, 0, 2 * MiB}, {2, 1, 2 * MiB}}));
}

TEST(ExpectedTraffic, AReadIsAWriteBackwards) {
  for (const char* path : {"two_phase", "two_layer"}) {
    const Case c(nodes_of({3, 5, 1}), {{"cb_nodes", "2"}, {"collio_path", path}});
    std::vector<Flow> write = c.expected(c.plan(0, 8 * MiB), 8 * MiB);
    const std::vector<Flow> read = c.expected(c.plan(0, 8 * MiB, Direction::read), 8 * MiB);
    ASSERT_EQ(write.size(), 4u);
    for (Flow& flow : write) std::swap(flow.from, flow.to);
    std::ranges::sort(write, {}, [](const Flow& f) { return std::pair(f.from, f.to); });
    EXPECT_EQ(write, read);
  }
}

TEST(ExpectedTraffic, OnlyTheSpanOfADomainCounts) {
  // Domains begin at a multiple of the alignment; the first one's bytes before the span are nobody's.
  const Case c(nodes_of({1, 1}),
               {{"cb_nodes", "2"}, {"striping_unit", "1048576"}, {"collio_path", "two_phase"}});
  const policy::Plan plan = c.plan(MiB / 2, MiB + MiB / 2);
  ASSERT_EQ(plan.domains.count, 2);
  EXPECT_EQ(c.expected(plan, MiB + MiB / 2), (std::vector<Flow>{{0, 1, MiB / 2}, {1, 0, MiB / 4}}));
}

TEST(ExpectedTraffic, HolesAreNotSent) {
  const Case c(nodes_of({1, 1}), {{"cb_nodes", "1"}, {"collio_path", "two_phase"}});
  EXPECT_EQ(c.expected(c.plan(0, 8 * MiB), 1000), (std::vector<Flow>{{1, 0, 500}}));
}

TEST(ExpectedTraffic, PiecesOfAGroupMeetFirst) {
  const Case c(nodes_of({2, 2, 2, 2}),
               {{"cb_nodes", "1"}, {"collio_path", "two_layer"}, {"collio_nodes_per_group", "2"}});
  ASSERT_EQ(c.homes, (std::vector<int>{0}));
  const policy::Plan plan = c.plan(0, 8 * MiB);
  ASSERT_EQ(plan.path, policy::Path::two_layer);
  EXPECT_EQ(c.expected(plan, 8 * MiB),
            (std::vector<Flow>{{1, 0, 2 * MiB}, {2, 0, 4 * MiB}, {3, 2, 2 * MiB}}));
  const policy::Plan read = c.plan(0, 8 * MiB, Direction::read);
  EXPECT_EQ(c.expected(read, 8 * MiB),
            (std::vector<Flow>{{0, 1, 2 * MiB}, {0, 2, 4 * MiB}, {2, 3, 2 * MiB}}));
}

TEST(ExpectedTraffic, BytesGoWhereTheyAreServed) {
  for (const char* group : {"1", "2"}) {
    const Case c(nodes_of({2, 2, 2}),
                 {{"cb_nodes", "2"}, {"collio_path", "two_layer"}, {"collio_nodes_per_group", group}});
    const policy::Plan plan = c.plan(0, 12 * MiB);
    policy::ServedBytes served;
    served.add(plan, 12 * MiB, {2, 2}, c.layers);  // both on a node without an aggregator
    served.add(plan, 12 * MiB, {2, 2}, c.layers);
    NodeTraffic traffic(c.machine);
    served.add_to(traffic, c.passed());
    EXPECT_EQ(traffic.received(2), 16 * MiB) << "nodes in a group: " << group;
    EXPECT_EQ(traffic.sent(2), 0);
  }
}

TEST(ExpectedTraffic, NothingLeavesWhereNothingIsExchanged) {
  const Case alone(nodes_of({8}), {});
  EXPECT_TRUE(alone.expected(alone.plan(0, 8 * MiB), 8 * MiB).empty());
  const Case apart(nodes_of({2, 2}), {{"collio_path", "independent"}});
  EXPECT_TRUE(apart.expected(apart.plan(0, 8 * MiB), 8 * MiB).empty());
  EXPECT_TRUE(policy::ServedBytes().empty());
}

TEST(ExpectedTraffic, CallsAddUp) {
  const Case c(nodes_of({2, 2}), {{"cb_nodes", "2"}, {"collio_path", "two_phase"}});
  policy::ServedBytes served;
  served.add(c.plan(0, 8 * MiB), 8 * MiB, c.homes, c.layers);
  served.add(c.plan(100 * MiB, 4 * MiB), 4 * MiB, c.homes, c.layers);
  served.add(c.plan(0, 2 * MiB, Direction::read), 2 * MiB, c.homes, c.layers);
  EXPECT_FALSE(served.empty());
  NodeTraffic traffic(c.machine);
  served.add_to(traffic, c.passed());
  EXPECT_EQ(traffic.flows(), (std::vector<Flow>{{0, 1, 3 * MiB + MiB / 2}, {1, 0, 3 * MiB + MiB / 2}}));
}

/// A plan with traffic from node 0 to node 1.
policy::Plan placed_plan(const Case& c, std::int64_t bytes) {
  policy::Plan plan = c.plan(0, 8 * MiB);
  NodeTraffic traffic(c.machine);
  traffic.add({0, 1, bytes});
  policy::PlacedDomains placed{.seat_of_domain = {0, 1}};
  placed.traffic = traffic.numbers();
  plan.placed = std::make_shared<const policy::PlacedDomains>(placed);
  return plan;
}

TEST(ExpectedTraffic, CallsOfPlacedPlansAddUpWhateverTheirOrder) {
  const Case c(nodes_of({2, 2}), {{"cb_nodes", "2"}, {"collio_path", "two_phase"}});
  const policy::Plan one = placed_plan(c, 1), other = placed_plan(c, 100);
  policy::ServedBytes served;
  for (const policy::Plan* plan : {&one, &one, &other, &one, &other, &other})
    served.add(*plan, 8 * MiB, c.homes, c.layers);
  EXPECT_FALSE(served.empty());
  for (int report = 0; report < 2; ++report) {  // one that comes while the file is open changes nothing
    NodeTraffic traffic(c.machine);
    served.add_to(traffic, c.passed());
    EXPECT_EQ(traffic.flows(), (std::vector<Flow>{{0, 1, 303}}));
  }
}

}  // namespace
}  // namespace collio
