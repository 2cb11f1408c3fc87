// See local_aggregators.hpp.
#include "policy/aggregators/local_aggregators.hpp"

#include <algorithm>

#include "core/index.hpp"
#include "policy/aggregators/aggregators.hpp"

namespace collio::policy {

int Teams::first_rank(int team) const noexcept { return Spread{ranks, count}.local_rank(team); }

int Teams::size(int team) const noexcept {
  return (team + 1 < count ? first_rank(team + 1) : ranks) - first_rank(team);
}

int Teams::team_of(int local_rank) const noexcept {
  int team = count - 1;
  while (first_rank(team) > local_rank) --team;
  return team;
}

int Layers::local_aggregators() const noexcept {
  int sum = 0;
  for (const Teams& t : teams) sum += t.count;
  return sum;
}

int Layers::relay(int node, int domain) const noexcept {
  const int first = group_of(node) * nodes_per_group;
  const int size = std::min(nodes_per_group, static_cast<int>(teams.size()) - first);
  return first + domain % size;
}

int Layers::next_hop(int node, int domain, int home) const noexcept {
  if (group_of(node) == group_of(home)) return home;
  const int meeting = relay(node, domain);
  return meeting == node ? home : meeting;
}

int Layers::senders_to(int node, int domain, int home) const noexcept {
  // A node on which others' pieces meet sends one message, with its own; any other one per team.
  const auto messages_of = [&](int from) {
    const bool relays =
        nodes_per_group > 1 && group_of(from) != group_of(home) && relay(from, domain) == from;
    return relays ? 1 : teams[core::at(from)].count;
  };
  const int first = group_of(node) * nodes_per_group;
  const int end = std::min(first + nodes_per_group, static_cast<int>(teams.size()));
  int sum = 0;
  for (int from = first; from < end; ++from)
    if (from != node && from != home && next_hop(from, domain, home) == node) sum += messages_of(from);
  if (node != home) return sum;
  for (int other = 0; other < static_cast<int>(teams.size()); other += nodes_per_group)
    if (group_of(other) != group_of(home)) sum += messages_of(relay(other, domain));
  return sum;
}

Layers make_layers(const machine::Machine& machine, const Hints& hints) {
  Layers layers;
  const int nodes = static_cast<int>(machine.nodes.size());
  std::vector<Teams>& teams = layers.teams.edit();
  layers.nodes_per_group = std::clamp(hints.nodes_per_group, 1, std::max(1, nodes));
  for (int n = 0; n < nodes; ++n) {
    const int ranks = machine.nodes[core::at(n)].ranks;
    int count = 1;
    if (hints.local_aggregators_per_node > 0)
      count = hints.local_aggregators_per_node;
    else if (hints.local_aggregators > 0)
      count = hints.local_aggregators / nodes + (n < hints.local_aggregators % nodes ? 1 : 0);
    teams.push_back({ranks, std::clamp(count, 1, ranks)});
  }
  return layers;
}

}  // namespace collio::policy
