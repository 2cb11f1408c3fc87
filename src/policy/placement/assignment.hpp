// Which aggregator serves which file domain.
//
// The least hop-bytes are a linear assignment of domains to aggregators (Liu, Zhou & Guo, J. Optimization
// 2018; for bytes kept on their node Filgueira et al., VECPAR 2008). Least hop-bytes need not be the least
// time: bytes may meet on one link. So a last policy goes on from there and exchanges domains while the
// busiest links get less to do.
#pragma once

#include <vector>

#include "policy/hints/choices.hpp"
#include "policy/placement/placement.hpp"

namespace collio::policy {

/// Aggregator of every domain. With more domains than aggregators each serves at most ceil(domains /
/// aggregators) of them, else at most one. Pure, the same from the same numbers. The problem has passed
/// check_placement. O(nodes with seats * (entries + domains^2)), where all are alike O(n^3); memory O(nodes *
/// domains). least_congestion does most_exchange_work steps more, at the utmost three times.
[[nodiscard]] std::vector<int> assign_domains(Assignment policy, const PlacementProblem& problem);

/// What every policy assigns, in the order of Assignment: for less than to ask for them one by one.
[[nodiscard]] std::vector<std::vector<int>> assign_by_all(const PlacementProblem& problem);

/// Steps (a link looked at, a number added) after which exchanges end: a few tenths of a second.
inline constexpr std::int64_t most_exchange_work = 100'000'000;

}  // namespace collio::policy
