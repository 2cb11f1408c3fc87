// One face of every network: a graph with its routes written out, or a regular shape that needs none of them.
//
// Planning asks how far two nodes are apart, which links are between them, and what those carry; never for
// more than that, and never for a table of all pairs.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "machine/network.hpp"
#include "machine/shapes.hpp"

namespace collio::machine {

inline constexpr int no_vertex = -1;

class Topology {
 public:
  using Graph = std::shared_ptr<const Network>;
  using Shape = std::variant<SingleSwitch, Tree, FatTree, Torus, Dragonfly, TorusWithSets, Graph>;

  /// A shape or network that has passed its check (check_shape, check_network).
  template <class Of>
    requires std::is_constructible_v<Shape, Of> && (!std::is_same_v<Of, Topology>)
  Topology(Of shape) : shape_(std::move(shape)) {}

  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] int nodes() const;
  [[nodiscard]] int links() const;
  [[nodiscard]] Cable cable(int link) const;
  /// The I/O node of a node's set; no_vertex in networks without I/O nodes.
  [[nodiscard]] int io_node(int node) const;

  /// Links between two vertices; at least one of them is a node, the other may be an I/O node or a graph's
  /// switch. The way to a switch is the one from it, backwards: tables of routes lead to nodes only.
  [[nodiscard]] int hops(const Trip& trip) const;

  /// Visits the links of a route in order: visit(Hop).
  template <class Visit>
  void route(const Trip& trip, Visit&& visit) const {
    std::visit([&](const auto& shape) { route_in(shape, trip, visit); }, shape_);
  }

 private:
  template <class Of, class Visit>
  static void route_in(const Of& shape, const Trip& trip, Visit& visit) {
    machine::route(shape, trip, visit);
  }
  template <class Visit>
  static void route_in(const Graph& graph, const Trip& trip, Visit& visit) {
    if (trip.to < graph->nodes) return machine::route(*graph, trip, visit);
    std::vector<Hop> way;
    machine::route(*graph, {trip.to, trip.from},
                   [&](const Hop& hop) { way.push_back({hop.link, !hop.forward}); });
    for (std::size_t i = way.size(); i-- > 0;) visit(way[i]);
  }

  Shape shape_;
};

/// What a route is for a transfer: every link's latency, and the rate of the slowest.
struct Reach {
  int hops = 0;
  double latency_s = 0;
  double rate_bytes_per_s = std::numeric_limits<double>::infinity();

  /// Seconds a transfer that is alone takes (machine/network has the reasons).
  [[nodiscard]] double transfer_s(double bytes) const noexcept {
    return latency_s + (bytes > 0 ? bytes / rate_bytes_per_s : 0);
  }
};
/// O(hops).
[[nodiscard]] Reach reach(const Topology& topology, const Trip& trip);

/// As of a network: O(links + hops of all flows), and O(links).
[[nodiscard]] LinkLoads load_links(const Topology& topology, std::span<const Flow> flows);
[[nodiscard]] BusiestLink busiest_link(const Topology& topology, std::span<const std::int64_t> link_bytes);

}  // namespace collio::machine
