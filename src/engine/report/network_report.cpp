// See network_report.hpp.
#include "engine/report/network_report.hpp"

#include "core/index.hpp"
#include "engine/open/discover_network.hpp"
#include "machine/locate_nodes.hpp"
#include "machine/node_traffic.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::engine {

namespace {

using machine::Flow;
using machine::Machine;
using machine::NodeTraffic;
namespace report = observe::report;

/// What all ranks have sent, on rank 0. Collective.
NodeTraffic counted(const Ranks& ranks) {
  const File& file = ranks.file;
  NodeTraffic traffic(file.machine);
  for (const auto [node, bytes] : file.records.traffic.sent().entries())
    traffic.add({file.place().seat.node, node, bytes});
  std::vector<std::int64_t>& numbers = traffic.numbers();
  transport::reduce_to_first(numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T, MPI_SUM,
                             ranks.comm);
  return traffic;
}

NodeTraffic expected(const File& file) {
  NodeTraffic traffic(file.machine);
  file.records.traffic.served().add_to(traffic, {file.machine, file.layers});
  return traffic;
}

report::Busiest busiest_of(const machine::Network& network, const machine::BusiestLink& busiest) {
  const machine::Link& link = network.link(busiest.hop.link);
  const auto name = [&](int vertex) { return network.vertices[core::at(vertex)]; };
  const bool forward = busiest.hop.forward;
  return {name(forward ? link.a : link.b), name(forward ? link.b : link.a), busiest.bytes, busiest.time_s};
}

report::Traffic traffic_of(const Machine& machine, const NodeTraffic& traffic) {
  report::Traffic told{.bytes = traffic.bytes()};
  if (traffic.has_matrix()) {
    told.flows.emplace();
    for (const Flow& flow : traffic.flows()) told.flows->push_back({flow.from, flow.to, flow.bytes});
  } else {
    told.sent.emplace();
    told.received.emplace();
    for (std::size_t node = 0; node < machine.nodes.size(); ++node) {
      told.sent->push_back(traffic.sent(node));
      told.received->push_back(traffic.received(node));
    }
  }
  if (machine.network) {
    told.hop_bytes = traffic.hop_bytes();
    if (traffic.bytes() > 0) told.busiest = busiest_of(*machine.network, traffic.busiest());
  }
  return told;
}

report::Network place_of(const Machine& machine) {
  report::Network place;
  if (machine.network) {
    place.name.name = machine.network->name;
    place.nodes = machine.network->nodes;
    const machine::HopRange range = hop_range(machine);
    place.hops = {range.least, range.most};
  }
  if (std::string why = why_unknown(machine); !why.empty()) place.unknown = std::move(why);
  if (machine.nodes.size() > NodeTraffic::most_nodes_in_matrix) return place;
  place.hosts.emplace();
  for (const machine::Node& node : machine.nodes) place.hosts->push_back(node.name);
  return place;
}

}  // namespace

std::optional<report::Network> network_of(const Ranks& ranks) {
  const File& file = ranks.file;
  const Machine& machine = file.machine;
  if (machine.nodes.size() == 1) {
    const bool told = machine.network || !machine.network_unknown.empty();
    if (!told || file.rank != 0) return {};
    return place_of(machine);
  }
  const NodeTraffic sent = counted(ranks);
  if (file.rank != 0) return {};
  report::Network network = place_of(machine);
  network.traffic = traffic_of(machine, sent);
  network.expected = traffic_of(machine, expected(file));
  return network;
}

}  // namespace collio::engine
