// What the ways from aggregators to storage cost, on top of the exchange: where the two share links, and by
// the formulas that elections go by (Tessier et al., COM-HPC 2016).
#pragma once

#include <vector>

#include "policy/aggregators/elect_aggregators.hpp"
#include "policy/placement/placement.hpp"

namespace collio::simulate {

struct StorageWay {
  /// of the exchange and the ways to storage together
  machine::BusiestLink busiest;
  /// C1 + C2 of policy/aggregators/elect_aggregators, over the domains
  double mean_cost_s = 0;
  double most_cost_s = 0;
};

/// Where storage is, of each node of the job its vertex, all known; and what election_costs says of the same
/// problem.
struct StorageSide {
  const std::vector<int>& vertices;
  const core::Matrix<policy::ElectionCost>& costs;
};

/// O(links + nodes * domains * hops).
[[nodiscard]] StorageWay storage_way(const policy::PlacementProblem& problem, const StorageSide& storage,
                                     const std::vector<int>& seat_of_domain);

}  // namespace collio::simulate
