// See topology.hpp.
#include "machine/topology.hpp"

#include <algorithm>

namespace collio::machine {

namespace {

int nodes_of(const Topology::Graph& graph) { return graph->nodes; }
int links_of(const Topology::Graph& graph) { return static_cast<int>(graph->links.size()); }
Cable cable_of(const Topology::Graph& graph, int link) {
  return {graph->link(link).rate_bytes_per_s, graph->link(link).latency_s};
}
template <class Of>
int hops_in(const Of& shape, const Trip& trip) {
  return hops(shape, trip);
}
int hops_in(const Topology::Graph& graph, const Trip& trip) {
  return trip.to < graph->nodes ? hops(*graph, trip) : hops(*graph, {trip.to, trip.from});
}

}  // namespace

int Topology::nodes() const {
  return std::visit([](const auto& shape) { return nodes_of(shape); }, shape_);
}

int Topology::links() const {
  return std::visit([](const auto& shape) { return links_of(shape); }, shape_);
}

Cable Topology::cable(int link) const {
  return std::visit([&](const auto& shape) -> Cable { return cable_of(shape, link); }, shape_);
}

int Topology::hops(const Trip& trip) const {
  return std::visit([&](const auto& shape) { return hops_in(shape, trip); }, shape_);
}

int Topology::io_node(int node) const {
  const auto* sets = std::get_if<TorusWithSets>(&shape_);
  return sets ? machine::nodes_of(*sets) + node / sets->nodes_per_set : no_vertex;
}

namespace {

/// Of all links between two nodes, where they are alike; null: they differ.
const Cable* only_cable(const Topology::Shape& shape, const Trip& trip) {
  if (const auto* one = std::get_if<SingleSwitch>(&shape)) return &one->link;
  if (const auto* torus = std::get_if<Torus>(&shape)) return &torus->link;
  const auto* sets = std::get_if<TorusWithSets>(&shape);
  return sets && std::max(trip.from, trip.to) < nodes_of(*sets) ? &sets->torus.link : nullptr;
}

}  // namespace

Reach reach(const Topology& topology, const Trip& trip) {
  Reach sum;
  if (const Cable* cable = only_cable(topology.shape(), trip)) {  // its number is enough
    sum.hops = topology.hops(trip);
    sum.latency_s = sum.hops * cable->latency_s;
    if (sum.hops > 0) sum.rate_bytes_per_s = cable->rate_bytes_per_s;
    return sum;
  }
  topology.route(trip, [&](const Hop& hop) {
    const Cable cable = topology.cable(hop.link);
    ++sum.hops;
    sum.latency_s += cable.latency_s;
    sum.rate_bytes_per_s = std::min(sum.rate_bytes_per_s, cable.rate_bytes_per_s);
  });
  return sum;
}

LinkLoads load_links(const Topology& topology, std::span<const Flow> flows) {
  LinkLoads loads{std::vector<std::int64_t>(2 * static_cast<std::size_t>(topology.links()), 0), 0};
  for (const Flow& flow : flows)
    topology.route({flow.from, flow.to}, [&](const Hop& hop) {
      loads.bytes[hop.index()] += flow.bytes;
      loads.hop_bytes += flow.bytes;
    });
  return loads;
}

BusiestLink busiest_link(const Topology& topology, std::span<const std::int64_t> link_bytes) {
  BusiestLink busiest;
  for (int i = 0; i < topology.links(); ++i)
    for (const bool forward : {true, false}) {
      const Hop hop{i, forward};
      const std::int64_t bytes = link_bytes[hop.index()];
      if (bytes == 0) continue;
      const double time_s = static_cast<double>(bytes) / topology.cable(i).rate_bytes_per_s;
      if (time_s > busiest.time_s) busiest = {hop, bytes, time_s};
    }
  return busiest;
}

}  // namespace collio::machine
