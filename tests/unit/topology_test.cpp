// Topologies: shapes and graphs answer alike, I/O nodes and storage at a switch, what is no shape, and sizes
// no table would fit.
#include "machine/topology.hpp"

#include <gtest/gtest.h>

#include "networks.hpp"

namespace collio::machine {
namespace {

constexpr Cable usual{1e9, 1e-6}, slow{5e7, 2e-6};

std::vector<std::size_t> way(const Topology& t, const Trip& trip) {
  std::vector<std::size_t> hops;
  t.route(trip, [&](const Hop& hop) { hops.push_back(hop.index()); });
  return hops;
}

TEST(Topology, AShapeAndItsGraphAnswerAlike) {
  const Topology graph(std::make_shared<const Network>(two_racks())),
      shape(Tree{2, 2, {100e6, 1e-6}, {50e6, 2e-6}});
  ASSERT_EQ(graph.nodes(), shape.nodes());
  ASSERT_EQ(graph.links(), shape.links());
  std::vector<Flow> flows;
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b) {
      EXPECT_EQ(graph.hops({a, b}), shape.hops({a, b}));
      EXPECT_EQ(way(graph, {a, b}), way(shape, {a, b}));
      EXPECT_EQ(reach(graph, {a, b}).transfer_s(1e6), reach(shape, {a, b}).transfer_s(1e6));
      EXPECT_DOUBLE_EQ(reach(shape, {a, b}).transfer_s(1e6), transfer_s(two_racks(), {a, b}, 1'000'000));
      flows.push_back({a, b, 1000 * a + b});
    }
  const LinkLoads loads = load_links(shape, flows);
  EXPECT_EQ(loads.bytes, load_links(two_racks(), flows).bytes);
  EXPECT_EQ(loads.hop_bytes, load_links(graph, flows).hop_bytes);
  EXPECT_EQ(busiest_link(shape, loads.bytes).time_s, busiest_link(two_racks(), loads.bytes).time_s);
}

TEST(Topology, TheWayToASwitchIsTheWayBack) {
  const Topology t(std::make_shared<const Network>(two_racks()));
  EXPECT_EQ(way(t, {6, 3}), (std::vector<std::size_t>{11, 7}));  // core to rack1 to node3
  EXPECT_EQ(way(t, {3, 6}), (std::vector<std::size_t>{6, 10}));
  EXPECT_EQ(t.hops({3, 6}), 2);
  EXPECT_EQ(reach(t, {0, 6}).rate_bytes_per_s, 50e6);
}

TEST(Topology, EverySetHasItsIoNode) {
  const Topology t(
      TorusWithSets{{{4, 4}, usual}, 8, 2, slow});  // bridges 0 and 4 of set 0, 8 and 12 of set 1
  EXPECT_EQ(t.io_node(7), 16);
  EXPECT_EQ(t.io_node(8), 17);
  EXPECT_EQ(t.hops({4, 16}), 1);
  EXPECT_EQ(t.hops({7, 16}), 2);  // round to 4
  EXPECT_EQ(t.hops({2, 17}), 4);  // to 14 - no bridge - or straight down two rows: 10, and back to 8
  EXPECT_EQ(reach(t, {7, 16}).rate_bytes_per_s, slow.rate_bytes_per_s);
  EXPECT_EQ(Topology(SingleSwitch{4, usual}).io_node(2), no_vertex);
}

TEST(Topology, NeedsNoTableOfPairs) {
  const Topology torus(Torus{{64, 64, 64, 4}, usual});
  EXPECT_EQ(torus.nodes(), 1 << 20);
  EXPECT_EQ(torus.hops({0, (1 << 20) - 1}), 4);
  EXPECT_EQ(way(torus, {5, 1 << 19}).size(), static_cast<std::size_t>(torus.hops({5, 1 << 19})));
  const Topology tree(FatTree{1024, 64, 64, usual, usual});
  EXPECT_EQ(tree.hops({0, 65535}), 4);
}

TEST(Topology, EveryHopOfEveryRouteIsALinkAndRoutesAreAsLongAsHopsSay) {
  const std::vector<Topology> all{Torus{{3, 2, 4}, usual}, Torus{{2, 2}, usual},
                                  Dragonfly{5, 3, 2, usual, usual, slow},
                                  TorusWithSets{{{2, 6}, usual}, 4, 3, slow}, FatTree{3, 4, 2, usual, slow}};
  for (const Topology& t : all)
    for (int a = 0; a < t.nodes(); ++a)
      for (int b = 0; b < t.nodes(); ++b) {
        const std::vector<std::size_t> there = way(t, {a, b});
        ASSERT_EQ(static_cast<int>(there.size()), t.hops({a, b}));
        for (const std::size_t hop : there) ASSERT_LT(hop, 2 * static_cast<std::size_t>(t.links()));
      }
}

TEST(Shapes, WhatIsNoneIsNamed) {
  EXPECT_TRUE(check_shape(Torus{{4, 1, 2}, usual}).ok());
  EXPECT_EQ(check_shape(Torus{{}, usual}).message, "dims has no dimension; allowed: one and more");
  EXPECT_EQ(check_shape(Torus{{3, 0}, usual}).message, "dims[1] is 0; allowed: 1 and more");
  EXPECT_EQ(check_shape(Torus{{100000, 100000}, usual}).message, "dims make more than 33554431 links");
  EXPECT_EQ(check_shape(FatTree{2, 2, 0, usual, usual}).message, "spines is 0; allowed: 1 and more");
  EXPECT_EQ(check_shape(Tree{2, 2, usual, {0, 0}}).message, "uplink.rate_bytes_per_s is 0; allowed: above 0");
  EXPECT_EQ(check_shape(SingleSwitch{2, {1e9, -1}}).message, "link.latency_s is -1; allowed: 0 and more");
  EXPECT_EQ(check_shape(Dragonfly{4, 8, 1 << 30, usual, usual, usual}).message,
            "nodes_per_router is 1073741824, which makes more than 33554431 nodes or links");
  EXPECT_TRUE(check_shape(Dragonfly{9, 4, 2, usual, usual, usual}).ok());
  EXPECT_EQ(check_shape(TorusWithSets{{{4, 4}, usual}, 5, 1, usual}).message,
            "nodes_per_set: 5 does not divide the torus' 16 nodes");
  EXPECT_EQ(check_shape(TorusWithSets{{{4, 4}, usual}, 2, 3, usual}).message,
            "bridges is 3; allowed: up to nodes_per_set, 2");
}

}  // namespace
}  // namespace collio::machine
