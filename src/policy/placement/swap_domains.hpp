// Improves a placement by exchanging domains between aggregators while that leaves the busiest links less to
// do.
//
// To place flows so that the busiest link is done soonest is NP-hard already on small networks, so this is a
// descent: it looks at the link that needs longest, and exchanges a domain whose bytes pass it with another
// one, or moves it to an aggregator with room, if every link that either touches is then done sooner than the
// slowest of them was. Each step so makes the links' times, sorted from the longest, smaller in lexicographic
// order; hence it ends.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/placement/placement.hpp"

namespace collio::policy {

/// Aggregator of every domain, never worse for the busiest link than `seat_of_domain`, and none with more
/// domains than ceil(domains / aggregators) or than it had. Ends where no exchange with the most promising
/// domains helps, or after about `most_work` steps, each a link looked at or a number added; so it is the
/// same wherever it runs. Pure. Memory O(links + nodes with seats * domains), and up to some 40 MB for the
/// routes of nodes * nodes with seats.
[[nodiscard]] std::vector<int> swap_domains(const PlacementProblem& problem, std::vector<int> seat_of_domain,
                                            std::int64_t most_work);

}  // namespace collio::policy
