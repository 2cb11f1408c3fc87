// See locate_nodes.hpp.
#include "machine/locate_nodes.hpp"

#include <algorithm>
#include <unordered_map>

#include "core/index.hpp"

namespace collio::machine {

namespace {

core::Error unknown(std::string text) { return {core::ErrorClass::argument, std::move(text)}; }

/// "node0, node1, node2, ...": what a host might have been called.
std::string first_names(const Network& network) {
  constexpr int most = 3;
  std::string text;
  for (int i = 0; i < std::min(network.nodes, most); ++i)
    text += (i > 0 ? ", " : "") + network.vertices[core::at(i)];
  return network.nodes > most ? text + ", ..." : text;
}

}  // namespace

core::Error locate_nodes(Machine& machine, std::shared_ptr<const Network> network) {
  std::vector<std::string> hosts;
  hosts.reserve(machine.nodes.size());
  for (const Node& node : machine.nodes) hosts.push_back(node.name);
  const std::vector<int> found = find_nodes(*network, hosts);
  std::unordered_map<int, std::size_t> holders;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] < 0)
      return unknown("host '" + hosts[i] + "' is not among the nodes of '" + network->name + "' (" +
                     first_names(*network) + ")");
    const auto [other, fresh] = holders.try_emplace(found[i], i);
    if (!fresh)
      return unknown("nodes " + std::to_string(other->second) + " and " + std::to_string(i) +
                     " of the job are both '" + network->vertices[core::at(found[i])] + "'");
  }
  std::vector<Node>& nodes = machine.nodes.edit();
  for (std::size_t i = 0; i < found.size(); ++i) nodes[i].network_node = found[i];
  machine.network = std::move(network);
  return {};
}

HopRange hop_range(const Machine& machine) {
  HopRange range;
  if (!machine.network) return range;
  for (const Node& from : machine.nodes)
    for (const Node& to : machine.nodes) {
      if (&from == &to) continue;
      const int count = hops(*machine.network, {from.network_node, to.network_node});
      range.least = range.most == 0 ? count : std::min(range.least, count);
      range.most = std::max(range.most, count);
    }
  return range;
}

}  // namespace collio::machine
