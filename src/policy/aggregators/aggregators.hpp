// Which ranks aggregate.
//
// Aggregators are dealt round robin over nodes, to some nodes of each rack where they are fewer, and spread
// over a node's ranks (Kang et al., TPDS 2020): with q ranks and c aggregators on a node and e = q mod c,
// local ranks ceil(q/c)*i for i < e and ceil(q/c)*e + floor(q/c)*(i-e) for the rest, so q=8, c=3 gives
// {0,3,6}.
#pragma once

#include <vector>

#include "machine/machine.hpp"
#include "policy/hints/hints.hpp"

namespace collio::policy {

/// A rank named by its node and its place among the node's ranks.
struct Seat {
  int node = 0;
  int local_rank = 0;
  friend bool operator==(const Seat&, const Seat&) = default;
};

/// Local rank of aggregator `i` when `ranks` ranks of a node have `aggregators` among them.
struct Spread {
  int ranks = 1;
  int aggregators = 1;
  [[nodiscard]] int local_rank(int i) const noexcept;
};

/// Most aggregators on every node: its ranks, fewer by cb_config_list, and where no hint gives a number fewer
/// by its cores and what the storage likes. O(nodes * entries of cb_config_list).
[[nodiscard]] std::vector<int> aggregator_limits(const machine::Machine& machine, const Hints& hints);

/// Aggregators of the node that has most. O(nodes).
[[nodiscard]] int aggregators_of_a_node(const machine::Machine& machine, const Hints& hints);

/// Aggregators of each node: one to every node that may have one more, turn by turn. Where a last turn has
/// too few for all of these, nodes at even distances get one, as they follow each other by the switches they
/// hang at, where these are known. O(turns * nodes + nodes log nodes + links).
[[nodiscard]] std::vector<int> deal_evenly(const machine::Machine& machine, const std::vector<int>& limits,
                                           int count);

/// Seats of all aggregators, in domain order. Never empty. O(nodes + aggregators).
[[nodiscard]] std::vector<Seat> choose_aggregators(const machine::Machine& machine, const Hints& hints);

/// Seats of other ranks that may serve domains whose bytes are there: with its aggregators a node has at most
/// as many as cb_config_list allows, or else as its cores and network adapters are for. None where a hint
/// says which ranks aggregate. Node by node. O(nodes + seats).
[[nodiscard]] std::vector<Seat> spare_seats(const machine::Machine& machine, const Hints& hints,
                                            const std::vector<Seat>& aggregators);

/// For each aggregator another seat of its node: the next where no aggregator sits, each for one of them. Its
/// own, where the node has no more of these. At most O(aggregators * ranks of a node).
[[nodiscard]] std::vector<Seat> seats_beside(const std::vector<Seat>& aggregators,
                                             const machine::Machine& machine);

}  // namespace collio::policy
