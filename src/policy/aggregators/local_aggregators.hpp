// The intermediate layers between ranks and aggregators: which ranks of a node act together, and through
// which nodes their pieces travel.
//
// The ranks of a node are dealt to its local aggregators by the spread-out rule (Kang et al., TPDS 2020):
// local aggregators are spread as aggregators are, and a rank belongs to the nearest one at or below it.
// Nodes may be grouped: then a group's pieces for an aggregator outside meet on one of its nodes first, a
// layer more.
#pragma once

#include <vector>

#include "core/shared.hpp"
#include "machine/machine.hpp"
#include "policy/hints/hints.hpp"

namespace collio::policy {

/// The ranks of one node, in teams of consecutive local ranks: one team per local aggregator.
struct Teams {
  int ranks = 1;
  int count = 1;
  /// its local aggregator, by local rank
  [[nodiscard]] int first_rank(int team) const noexcept;
  [[nodiscard]] int size(int team) const noexcept;
  [[nodiscard]] int team_of(int local_rank) const noexcept;
  friend bool operator==(const Teams&, const Teams&) = default;
};

/// How messages travel: from the teams of every node to the nodes that serve file domains.
struct Layers {
  /// per node
  core::SharedList<Teams> teams;
  /// 1: no third layer
  int nodes_per_group = 1;

  [[nodiscard]] int local_aggregators() const noexcept;
  [[nodiscard]] int group_of(int node) const noexcept { return node / nodes_per_group; }
  /// The node of `node`'s group on which pieces for domain `domain` meet.
  [[nodiscard]] int relay(int node, int domain) const noexcept;
  /// Where node `node` sends what it has for `domain`, which node `home` serves. Not for node == home.
  [[nodiscard]] int next_hop(int node, int domain, int home) const noexcept;
  /// Messages that node `node` gets for `domain` in a round in which everyone has pieces. O(nodes of a group
  /// + groups).
  [[nodiscard]] int senders_to(int node, int domain, int home) const noexcept;
};

/// From collio_local_aggregators, nc_num_aggrs_per_node and collio_nodes_per_group. Automatic is one team per
/// node: its sends are shared by its ranks all the same, so more would only mean more messages. Pure.
/// O(nodes).
[[nodiscard]] Layers make_layers(const machine::Machine& machine, const Hints& hints);

}  // namespace collio::policy
