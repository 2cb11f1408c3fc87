// See aggregators.hpp.
#include "policy/aggregators/aggregators.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "core/index.hpp"

namespace collio::policy {

namespace {

/// Most aggregators that cb_config_list allows on `node`: the first entry that names it, or '*'.
int limit_of(const machine::Node& node, const Hints& hints) {
  if (hints.host_limits.empty()) return node.ranks;
  for (const HostLimit& limit : hints.host_limits)
    if (limit.host == node.name || limit.host == "*") return std::min(limit.limit, node.ranks);
  return 0;
}

// On storage behind a network, from sweeps with the simulator (docs/design/simulator.md): an aggregator is
// bound by what one core receives, so each eight cores of a node have one. With very many in all, storage is
// the limit, and more would only shorten messages; each part of a node's cores still has one.
constexpr int enough_aggregators = 2048, fewest_cores_each = 8, most_cores_each = 32;
constexpr int most_on_a_node = 16;  // receive what its network adapters do, and share its memory for windows

int behind_network_on(const machine::Node& node, int nodes) {
  const int most = std::clamp(node.cores / fewest_cores_each, 1, most_on_a_node);
  return std::clamp(enough_aggregators / nodes, std::min(node.cores / most_cores_each, most), most);
}

/// Without a hint. Where storage calls are cheap, several per core: each serves its own pieces without a
/// message, and small domains stay in cache. Over a network as few as keep links and storage busy.
int automatic_on(const machine::Node& node, const machine::Machine& machine) {
  const int wanted = machine.storage.behind_network()
                         ? behind_network_on(node, static_cast<int>(machine.nodes.size()))
                         : node.cores * machine.storage.aggregators_per_core;
  return std::clamp(wanted, 1, node.ranks);
}

/// Nodes of the job as they follow each other in the network: those at one switch together. In the order of
/// ranks where it is not known.
std::vector<std::size_t> by_rack(const machine::Machine& machine) {
  std::vector<std::size_t> order(machine.nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!machine.network) return order;
  const machine::Network& network = *machine.network;
  std::vector<int> rack(static_cast<std::size_t>(network.nodes), static_cast<int>(network.vertices.size()));
  for (const machine::Link& link : network.links)
    for (const auto& [node, other] : {std::pair(link.a, link.b), std::pair(link.b, link.a)})
      if (node < network.nodes && other >= network.nodes) {
        int& known = rack[core::at(node)];
        known = std::min(known, other);
      }
  std::ranges::stable_sort(order, {}, [&](std::size_t node) {
    const int in_network = machine.nodes[node].network_node;
    return std::pair(rack[core::at(in_network)], in_network);
  });
  return order;
}

}  // namespace

int Spread::local_rank(int i) const noexcept {
  const int extra = ranks % aggregators;
  const int low = ranks / aggregators;
  const int high = extra ? low + 1 : low;
  return i < extra ? high * i : high * extra + low * (i - extra);
}

std::vector<int> aggregator_limits(const machine::Machine& machine, const Hints& hints) {
  std::vector<int> limits;
  for (const machine::Node& node : machine.nodes) {
    const int limit = limit_of(node, hints);
    limits.push_back(hints.aggregators == 0 ? std::min(limit, automatic_on(node, machine)) : limit);
  }
  return limits;
}

int aggregators_of_a_node(const machine::Machine& machine, const Hints& hints) {
  const std::vector<int> limits = aggregator_limits(machine, hints);
  const int most = limits.empty() ? 1 : std::max(1, *std::ranges::max_element(limits));
  if (hints.aggregators == 0) return most;
  const int nodes = static_cast<int>(machine.nodes.size());
  return std::min(most, (hints.aggregators + nodes - 1) / nodes);
}

std::vector<int> deal_evenly(const machine::Machine& machine, const std::vector<int>& limits, int count) {
  const std::vector<std::size_t> order = by_rack(machine);
  std::vector<int> counts(limits.size(), 0);
  for (int turn = 0; count > 0; ++turn) {
    std::vector<std::size_t> takers;
    for (const std::size_t node : order)
      if (limits[node] > turn) takers.push_back(node);
    const std::size_t given = std::min(takers.size(), static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < given; ++i) ++counts[takers[i * takers.size() / given]];
    count -= static_cast<int>(given);
  }
  return counts;
}

std::vector<Seat> choose_aggregators(const machine::Machine& machine, const Hints& hints) {
  const std::size_t n = machine.nodes.size();
  const std::vector<int> limits = aggregator_limits(machine, hints);
  const int possible = std::accumulate(limits.begin(), limits.end(), 0);
  const int wanted = hints.aggregators > 0 ? std::min(hints.aggregators, possible) : possible;
  if (wanted == 0) return {Seat{}};  // cb_config_list names no node of this job: rank 0's node serves
  const std::vector<int> counts = deal_evenly(machine, limits, wanted);
  std::vector<Seat> seats;
  for (int turn = 0; static_cast<int>(seats.size()) < wanted; ++turn)
    for (std::size_t i = 0; i < n; ++i)
      if (turn < counts[i])
        seats.push_back({static_cast<int>(i), Spread{machine.nodes[i].ranks, counts[i]}.local_rank(turn)});
  return seats;
}

std::vector<Seat> spare_seats(const machine::Machine& machine, const Hints& hints,
                              const std::vector<Seat>& aggregators) {
  const auto* selection = std::get_if<Selection>(&hints.who);
  if (!selection || *selection != Selection::dealt) return {};
  std::vector<std::vector<int>> taken(machine.nodes.size());
  for (const Seat& seat : aggregators) taken[core::at(seat.node)].push_back(seat.local_rank);
  std::vector<Seat> spare;
  for (std::size_t n = 0; n < taken.size(); ++n) {
    const machine::Node& node = machine.nodes[n];
    const int most = hints.host_limits.empty() ? std::min({node.ranks, node.cores, most_on_a_node})
                                               : limit_of(node, hints);
    int left = most - static_cast<int>(taken[n].size());
    for (int i = 0; i < most && left > 0; ++i)
      if (const int rank = Spread{node.ranks, most}.local_rank(i); std::ranges::count(taken[n], rank) == 0)
        spare.push_back({static_cast<int>(n), rank}), --left;
  }
  return spare;
}

std::vector<Seat> seats_beside(const std::vector<Seat>& aggregators, const machine::Machine& machine) {
  std::map<int, std::vector<bool>> taken;  // of nodes with aggregators
  const auto ranks_on = [&](int node) { return machine.nodes[core::at(node)].ranks; };
  const auto place = [&](const Seat& seat) -> std::vector<bool>::reference {
    return taken[seat.node][core::at(seat.local_rank)];
  };
  for (const Seat& seat : aggregators) {
    taken[seat.node].resize(static_cast<std::size_t>(ranks_on(seat.node)));
    place(seat) = true;
  }
  std::vector<Seat> beside;
  for (const Seat& seat : aggregators) {
    const int ranks = ranks_on(seat.node);
    Seat next = seat;
    for (int i = 1; i < ranks && place(next); ++i) next.local_rank = (next.local_rank + 1) % ranks;
    if (place(next)) next = seat;
    place(next) = true;
    beside.push_back(next);
  }
  return beside;
}

}  // namespace collio::policy
