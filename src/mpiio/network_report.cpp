// See network_report.hpp.
#include "mpiio/network_report.hpp"

#include <numeric>

#include "engine/open/discover_network.hpp"
#include "machine/locate_nodes.hpp"
#include "machine/node_traffic.hpp"
#include "mpiio/json_text.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::mpiio {

namespace {

using machine::Flow;
using machine::Machine;
using machine::NodeTraffic;

/// What all ranks have sent, on rank 0. Collective.
NodeTraffic counted(const engine::File& file) {
  NodeTraffic traffic(file.machine);
  const std::vector<std::int64_t>& sent_to = file.traffic.sent_to();
  for (std::size_t node = 0; node < sent_to.size(); ++node) traffic.add({file.node_index, static_cast<int>(node), sent_to[node]});
  std::vector<std::int64_t>& numbers = traffic.numbers();
  transport::reduce_to_first(numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T, MPI_SUM, file.comm);
  return traffic;
}

NodeTraffic expected(const engine::File& file) {
  NodeTraffic traffic(file.machine);
  const policy::Service service{file.machine, file.servers.homes, file.layers};
  file.traffic.served().for_each_flow(service, [&](const Flow& flow) { traffic.add(flow); });
  return traffic;
}

std::string busiest_json(const machine::Network& network, const machine::BusiestLink& busiest) {
  const machine::Link& link = network.link(busiest.hop.link);
  const auto name = [&](int vertex) { return quoted(network.vertices[static_cast<std::size_t>(vertex)]); };
  return std::string("{\"from\": ") + name(busiest.hop.forward ? link.a : link.b) + ", \"to\": " + name(busiest.hop.forward ? link.b : link.a) +
         ", \"bytes\": " + std::to_string(busiest.bytes) + ", \"seconds\": " + text_of(busiest.time_s) + "}";
}

std::string traffic_json(const Machine& machine, const NodeTraffic& traffic) {
  std::string j = "{\"bytes\": ";
  j += std::to_string(traffic.bytes());
  if (traffic.has_matrix()) {
    j += ", \"flows\": " + json_list(traffic.flows(), [](const Flow& f) {
      return std::string("[") + std::to_string(f.from) + ", " + std::to_string(f.to) + ", " + std::to_string(f.bytes) + "]";
    });
  } else {
    std::vector<std::size_t> nodes(machine.nodes.size());
    std::iota(nodes.begin(), nodes.end(), std::size_t{0});
    j += ", \"sent\": " + json_list(nodes, [&](std::size_t node) { return std::to_string(traffic.sent(node)); });
    j += ", \"received\": " + json_list(nodes, [&](std::size_t node) { return std::to_string(traffic.received(node)); });
  }
  if (!machine.network) return j + "}";
  j += ", \"hop_bytes\": " + std::to_string(traffic.hop_bytes());
  if (traffic.bytes() > 0) j += ", \"busiest\": " + busiest_json(*machine.network, traffic.busiest());
  return j + "}";
}

std::string place_json(const Machine& machine) {
  std::string j = "{\"name\": " + (machine.network ? quoted(machine.network->name) : std::string("null"));
  if (machine.network) {
    const machine::HopRange range = hop_range(machine);
    j += ", \"nodes\": " + std::to_string(machine.network->nodes) + ", \"hops\": {\"min\": " + std::to_string(range.least) +
         ", \"max\": " + std::to_string(range.most) + "}";
  }
  if (const std::string why = engine::why_unknown(machine); !why.empty()) j += ", \"unknown\": " + quoted(why);
  if (machine.nodes.size() <= NodeTraffic::most_nodes_in_matrix)
    j += ", \"hosts\": " + json_list(machine.nodes, [](const machine::Node& node) { return quoted(node.name); });
  return j;
}

}  // namespace

std::string network_json(engine::File& file) {
  const Machine& machine = file.machine;
  const bool several = machine.nodes.size() > 1;
  if (!several) {
    const bool told = machine.network || !machine.network_unknown.empty();
    return told && file.rank == 0 ? place_json(machine) + "}" : "";
  }
  const NodeTraffic sent = counted(file);
  if (file.rank != 0) return {};
  return place_json(machine) + ", \"traffic\": " + traffic_json(machine, sent) +
         ", \"expected\": " + traffic_json(machine, expected(file)) + "}";
}

}  // namespace collio::mpiio
