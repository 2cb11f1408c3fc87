// Which aggregator serves which file domain, where there are too many pairs of them to weigh all.
//
// Seats of a node are alike, and few nodes have most of a domain's bytes. So domains go to nodes, those
// with most at stake first, each to one of the nodes that have most of its bytes and have room left. On one
// switch a node's link carries what the node sends and receives, and sums over rows and columns say what no
// placement can avoid; exchanges of two domains then relieve the busiest link, each tried in O(1).
//
// Before any of that the sums bound what could be gained. Where all nodes have bytes in all domains, that is
// next to nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/placement/choose_assignment.hpp"
#include "policy/placement/placement.hpp"

namespace collio::policy {

/// Most costs of domains at aggregators that are weighed all, as a matrix: on one switch 128 KiB of them,
/// where exchanges by node find as good a placement sooner; on other networks 1 MiB.
inline constexpr std::int64_t most_exact_costs_on_switch = 1 << 14, most_exact_costs = 1 << 17;
[[nodiscard]] bool few_enough_for_exact(const PlacementProblem& problem);

/// Pairs of domains looked at after which exchanges end, and the same for each domain where these are more:
/// about 10 ms, and 100 ms with 40,000 domains.
inline constexpr std::int64_t most_exchanges_tried = 2'000'000, most_exchanges_tried_a_domain = 500;

/// Aggregator of every domain by `policy`, as assign_domains has it, but that the sums of locality_aware and
/// least_hop_bytes are good and not the best, and that least_congestion exchanges domains on one switch
/// alone. O(entries + nodes + aggregators + domains log domains), which is also the memory.
/// `which`: those to use by the first two of these.
[[nodiscard]] std::vector<int> assign_by_node(Assignment policy, const PlacementProblem& problem,
                                              Seats which = Seats::all);

/// What `auto` takes. On a network that is not one switch a measure is O(entries * hops).
[[nodiscard]] AssignmentChoice choose_by_node(const PlacementProblem& problem);

}  // namespace collio::policy
