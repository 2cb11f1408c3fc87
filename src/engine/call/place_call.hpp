// The file domains of a call and the aggregators that serve them, chosen by where the bytes are.
#pragma once

#include <vector>

#include "engine/file/file.hpp"
#include "engine/moving/over_leaders.hpp"
#include "policy/placement/place_domains.hpp"

namespace collio::engine {

/// Cuts the span anew so that all domains have as many bytes, where a hint asks for it. `access`: this
/// rank's. Collective. The first ranks of nodes add up as many numbers as there are regions, balanced_regions
/// a domain, along a tree.
void balance_call(const Ranks& ranks, policy::Plan& plan, const access::FileAccess& access);
inline constexpr int balanced_regions = 32;

/// Places the plan's domains (policy/placement/place_domains), where that may pay; placing_text() says why
/// so. `access`: this rank's; `bytes`: of the whole call. Collective. On a large switch
/// the first ranks of nodes add up sums along a tree, which may be enough; else each sends a row of the
/// domains it has bytes in to rank 0, which decides. Everyone learns which aggregator serves which domain. If
/// rank 0 has no memory to choose, domains stay in order; for less than a row, the job ends.
void place_call(const Ranks& ranks, policy::Plan& plan, const access::FileAccess& access, std::int64_t bytes);

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
