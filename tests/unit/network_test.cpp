// Networks: the links of a route, loads and the busiest link, hosts among the nodes, and what is no network.
#include "machine/network.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "machine/locate_nodes.hpp"
#include "networks.hpp"

namespace collio::machine {
namespace {

std::vector<std::size_t> links_of(const Network& n, const Trip& trip) {
  std::vector<std::size_t> indices;
  route(n, trip, [&](const Hop& hop) { indices.push_back(hop.index()); });
  return indices;
}

TEST(Network, ARouteNamesItsLinksInOrderAndDirection) {
  const Network n = two_racks();
  EXPECT_EQ(links_of(n, {0, 1}), (std::vector<std::size_t>{0, 3}));         // up link 0, down link 1
  EXPECT_EQ(links_of(n, {3, 0}), (std::vector<std::size_t>{6, 10, 9, 1}));  // links 3 and 5 up, 4 and 0 down
  EXPECT_TRUE(links_of(n, {2, 2}).empty());
  EXPECT_EQ(hops(n, {0, 1}), 2);
  EXPECT_EQ(hops(n, {3, 0}), 4);
  EXPECT_EQ(hops(n, {1, 1}), 0);
}

TEST(Network, ATransferTakesEveryLatencyAndTheSlowestRate) {
  const Network n = two_racks();
  EXPECT_DOUBLE_EQ(transfer_s(n, {0, 1}, 1'000'000), 2e-6 + 0.01);
  EXPECT_DOUBLE_EQ(transfer_s(n, {0, 2}, 1'000'000), 6e-6 + 0.02);
  EXPECT_DOUBLE_EQ(transfer_s(n, {2, 2}, 1'000'000), 0);
}

TEST(Network, LoadsAreSumsOverRoutes) {
  const Network n = two_racks();
  const std::vector<Flow> flows{{0, 2, 100}, {1, 3, 50}, {0, 1, 7}, {2, 0, 1}, {3, 3, 1000}};
  const LinkLoads loads = load_links(n, flows);
  EXPECT_EQ(loads.hop_bytes, 4 * 100 + 4 * 50 + 2 * 7 + 4 * 1);
  std::int64_t sum = 0;
  for (const std::int64_t bytes : loads.bytes) sum += bytes;
  EXPECT_EQ(sum, loads.hop_bytes);
  EXPECT_EQ(loads.bytes[(Hop{0, true}.index())], 107);
  EXPECT_EQ(loads.bytes[(Hop{0, false}.index())], 1);
  EXPECT_EQ(loads.bytes[(Hop{4, true}.index())], 150);
  EXPECT_EQ(loads.bytes[(Hop{5, true}.index())], 1);
}

TEST(Network, TheBusiestLinkIsTheOneThatNeedsLongest) {
  const Network n = two_racks();
  // 199 bytes leave node 1, 100 of them through the uplink of half the rate.
  const std::vector<Flow> flows{{1, 0, 99}, {1, 2, 100}};
  const BusiestLink busiest = busiest_link(n, load_links(n, flows).bytes);
  EXPECT_EQ(busiest.hop.link, 4);
  EXPECT_TRUE(busiest.hop.forward);
  EXPECT_EQ(busiest.bytes, 100);
  EXPECT_DOUBLE_EQ(busiest.time_s, 100 / 50e6);
  EXPECT_EQ(busiest_link(n, load_links(n, {}).bytes).bytes, 0);
}

TEST(Network, HostsAreFoundByWholeAndByShortNames) {
  Network n = two_racks();
  n.vertices[2] = "login.a";
  n.vertices[3] = "login.b";
  const std::vector<std::string> hosts{"node1", "node0.cluster.org", "login.b", "login", "login.c", "rack0",
                                       ""};
  EXPECT_EQ(find_nodes(n, hosts), (std::vector<int>{1, 0, 3, -1, -1, -1, -1}));
}

Machine job_on(std::initializer_list<const char*> hosts) {
  Machine m;
  for (const char* host : hosts) m.nodes.edit().push_back({host, 2, 2});
  return m;
}

TEST(LocateNodes, GivesEveryNodeItsVertex) {
  Machine m = job_on({"node3", "node0", "node2.local"});
  const auto network = std::make_shared<const Network>(two_racks());
  ASSERT_TRUE(locate_nodes(m, network).ok());
  EXPECT_EQ(m.network, network);
  EXPECT_EQ(m.nodes[0].network_node, 3);
  EXPECT_EQ(m.nodes[1].network_node, 0);
  EXPECT_EQ(m.nodes[2].network_node, 2);
  EXPECT_EQ(hop_range(m).least, 2);
  EXPECT_EQ(hop_range(m).most, 4);
}

TEST(LocateNodes, AHostThatIsNotThereLeavesTheNetworkUnknown) {
  Machine m = job_on({"node3", "laptop"});
  const core::Error error = locate_nodes(m, std::make_shared<const Network>(two_racks()));
  EXPECT_EQ(error.message, "host 'laptop' is not among the nodes of 'two racks' (node0, node1, node2, ...)");
  EXPECT_EQ(m.network, nullptr);
  EXPECT_EQ(m.nodes[0].network_node, -1);
  EXPECT_EQ(hop_range(m).most, 0);
}

TEST(LocateNodes, TwoNodesCannotBeOne) {
  Machine m = job_on({"node1", "node3", "node1"});
  const core::Error error = locate_nodes(m, std::make_shared<const Network>(two_racks()));
  EXPECT_EQ(error.message, "nodes 0 and 2 of the job are both 'node1'");
  EXPECT_EQ(m.network, nullptr);
}

void edit(Network& n, const std::function<void(std::vector<std::int32_t>&)>& change) {
  std::vector<std::int32_t> table(n.next.table().begin(), n.next.table().end());
  change(table);
  n.next = std::move(table);
}

/// Sets one entry.
std::function<void(Network&)> entry(std::size_t index, std::int32_t link) {
  return [=](Network& n) { edit(n, [&](auto& next) { next[index] = link; }); };
}

TEST(CheckNetwork, GoodOnesPass) {
  EXPECT_TRUE(check_network(two_racks()).ok());
  EXPECT_TRUE(check_network({"alone", 1, {"a"}, {}, {-1}}).ok());
  Network n = two_racks();  // a switch that no route passes need not know a way
  n.vertices.push_back("spare");
  edit(n, [](auto& next) { next.insert(next.end(), 4, -1); });
  EXPECT_TRUE(check_network(n).ok());
}

TEST(CheckNetwork, SaysWhatIsWrong) {
  const struct {
    std::function<void(Network&)> spoil;
    const char* says;
  } cases[] = {
      {[](Network& n) { n.links[3].b = 12; }, "links[3].b is 12, there are 7 vertices"},
      {[](Network& n) { n.links[0].a = -1; }, "links[0].a is -1, there are 7 vertices"},
      {[](Network& n) { n.links[5].b = 5; }, "links[5] joins vertex 5 to itself"},
      {[](Network& n) { n.links[1].rate_bytes_per_s = -5; },
       "links[1].rate_bytes_per_s is -5; allowed: above 0"},
      {[](Network& n) { n.links[1].rate_bytes_per_s = 0; },
       "links[1].rate_bytes_per_s is 0; allowed: above 0"},
      {[](Network& n) { n.links[2].latency_s = -1e-6; }, "links[2].latency_s is -1e-06; allowed: 0 and more"},
      {[](Network& n) { n.vertices[2] = "node1"; }, "nodes[2].name is 'node1', which is nodes[1]'s"},
      {[](Network& n) { n.nodes = 0; }, "there are 0 nodes; allowed: 1 and more"},
      {[](Network& n) { n.vertices.resize(3); }, "there are 4 nodes, but 3 names"},
      {[](Network& n) { edit(n, [](auto& next) { next.pop_back(); }); },
       "next has 27 entries, 7 vertices and 4 nodes need 28"},
      {entry(4 * 4 + 2, 6), "next[4][2] is 6, there are 6 links"},
      {entry(4 * 4 + 2, -2), "next[4][2] is -2, there are 6 links"},
      {entry(0, 0), "next[0][0] is 0; allowed: -1, a node is where it is"},
      {entry(1, 5), "next[0][1] is 5, but that link joins vertices 5 and 6"},
      {entry(6 * 4 + 3, 4), "the route from node0 to node3 loops: it comes back to rack0"},
      {entry(5 * 4 + 3, -1), "the route from node0 to node3 ends at rack1: its entry in next is -1"},
  };
  for (const auto& one : cases) {
    Network n = two_racks();
    one.spoil(n);
    const core::Error error = check_network(n);
    EXPECT_FALSE(error.ok()) << one.says;
    EXPECT_EQ(error.message, one.says);
  }
}

}  // namespace
}  // namespace collio::machine
