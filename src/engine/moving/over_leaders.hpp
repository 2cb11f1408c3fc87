// What the nodes' first ranks bring together, along a binomial tree: O(log nodes) steps.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "engine/file/ranks.hpp"

namespace collio::engine {

/// Consecutive nodes.
struct NodeRange {
  int first = 0, count = 1;
};
[[nodiscard]] NodeRange all_nodes(const Ranks& ranks) noexcept;

/// Combines the numbers of the nodes' first ranks element by element, by MPI_SUM or MPI_MAX, on the first
/// node's; elsewhere `numbers` is of no use afterwards. Collective among these ranks.
void combine_on_first(const Ranks& ranks, const NodeRange& nodes, std::vector<std::int64_t>& numbers,
                      MPI_Op op);
/// The first node's numbers, on all of them. Collective among the nodes' first ranks.
void numbers_of_first(const Ranks& ranks, const NodeRange& nodes, std::span<std::int64_t> numbers);

}  // namespace collio::engine
