// The network between nodes as a graph: what a message passes on its way, and what many messages make of its
// links.
//
// Vertices are numbered nodes first, then switches. Routes are fixed: a table says for every vertex and every
// node which link leads there. Plain data, made by a reader (machine/read_graph) or by hand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/index.hpp"
#include "core/result.hpp"

namespace collio::machine {

/// A link between two vertices, full duplex: rate and latency are of each direction.
struct Link {
  int a = 0, b = 0;
  double rate_bytes_per_s = 0;
  double latency_s = 0;
};

/// A table that networks share, as it is long; it may lie in memory that processes share.
class Routes {
 public:
  Routes() = default;
  Routes(std::vector<std::int32_t> table) {
    auto own = std::make_shared<const std::vector<std::int32_t>>(std::move(table));
    *this = Routes(own, *own);
  }
  Routes(std::initializer_list<std::int32_t> table) : Routes(std::vector(table)) {}
  Routes(std::shared_ptr<const void> owner, std::span<const std::int32_t> table)
      : owner_(std::move(owner)), table_(table) {}

  [[nodiscard]] std::span<const std::int32_t> table() const noexcept { return table_; }
  [[nodiscard]] std::size_t size() const noexcept { return table_.size(); }
  [[nodiscard]] std::int32_t operator[](std::size_t i) const noexcept { return table_[i]; }
  friend bool operator==(const Routes& a, const Routes& b) { return std::ranges::equal(a.table_, b.table_); }

 private:
  std::shared_ptr<const void> owner_;
  std::span<const std::int32_t> table_;
};

struct Network {
  std::string name;
  /// vertices 0 .. nodes - 1 are nodes, the others switches
  int nodes = 0;
  /// names
  std::vector<std::string> vertices;
  std::vector<Link> links;
  /// [vertex * nodes + node]: the link to take; -1 at the node itself, or no way
  Routes next;
  /// vertex where the storage hangs; -1: unknown
  int storage = -1;

  [[nodiscard]] int next_link(int vertex, int node) const noexcept {
    return next[core::at(vertex) * static_cast<std::size_t>(nodes) + static_cast<std::size_t>(node)];
  }
  [[nodiscard]] const Link& link(int index) const noexcept { return links[core::at(index)]; }
};

/// What is wrong with a network, naming the place, the value and what is allowed; no error: every node
/// reaches every other one, and all the functions below may be called. O(vertices * nodes + links).
[[nodiscard]] core::Error check_network(const Network& network);

/// From one node to another.
struct Trip {
  int from = 0, to = 0;
};

/// A link in the direction in which a route takes it.
struct Hop {
  int link = 0;
  /// from a to b
  bool forward = true;

  [[nodiscard]] std::size_t index() const noexcept {
    return 2 * static_cast<std::size_t>(link) + (forward ? 0 : 1);
  }
};

/// Visits the links of a route in order: visit(Hop). O(hops).
template <class Visit>
void route(const Network& network, const Trip& trip, Visit&& visit) {
  for (int at = trip.from; at != trip.to;) {
    const int index = network.next_link(at, trip.to);
    const Link& link = network.link(index);
    const bool forward = link.a == at;
    visit(Hop{index, forward});
    at = forward ? link.b : link.a;
  }
}

/// Links between two nodes; 0 from a node to itself. O(hops).
[[nodiscard]] int hops(const Network& network, const Trip& trip);

/// Seconds one transfer of `bytes` bytes takes when it is alone: every link's latency, and the bytes at the
/// rate of the slowest. Messages are cut into packets, so the links of a route work at the same time.
/// O(hops).
[[nodiscard]] double transfer_s(const Network& network, const Trip& trip, std::int64_t bytes);

/// Bytes that go from one node to another: a piece of a node-to-node matrix most of which is zero.
struct Flow {
  int from = 0, to = 0;
  std::int64_t bytes = 0;
  friend bool operator==(const Flow&, const Flow&) = default;
};

/// What flows between the network's nodes do to its links.
struct LinkLoads {
  /// by Hop::index(): per link and direction
  std::vector<std::int64_t> bytes;
  /// bytes times links they pass
  std::int64_t hop_bytes = 0;
};

/// O(links + hops of all flows).
[[nodiscard]] LinkLoads load_links(const Network& network, std::span<const Flow> flows);

/// The link and direction that needs longest for its bytes.
struct BusiestLink {
  Hop hop;
  std::int64_t bytes = 0;
  /// bytes / rate: all the flows together take no less
  double time_s = 0;
};

/// `link_bytes`: as LinkLoads::bytes. Bytes 0 when nothing flows. O(links).
[[nodiscard]] BusiestLink busiest_link(const Network& network, std::span<const std::int64_t> link_bytes);

/// The network's node that each host is: by its name, or by the part before the first dot where that tells
/// them apart. -1: none. O(nodes + hosts).
[[nodiscard]] std::vector<int> find_nodes(const Network& network, std::span<const std::string> hosts);

}  // namespace collio::machine
