// Placing the domains of a call by what its nodes have in them: among the nodes' first ranks.
#pragma once

#include <vector>

#include "engine/moving/over_leaders.hpp"
#include "machine/machine.hpp"
#include "policy/placement/place_domains.hpp"

namespace collio::engine {

/// A call whose domains are to be placed; the same on all ranks.
struct PlacedCall {
  const policy::Plan& plan;
  const machine::Machine& machine;
  const policy::Hints& hints;
  const policy::SeatHomes& seats;
};

/// By the rows of all nodes, on the first one's rank; by their sums alone where these show that nothing can
/// be gained. Elsewhere the result is of no use. `row`: of this node. Collective among the nodes' first
/// ranks.
[[nodiscard]] policy::PlacedDomains placed_by_rows(const LeaderMessages& leaders, const PlacedCall& call,
                                                   std::vector<policy::DomainBytes> row);

}  // namespace collio::engine
