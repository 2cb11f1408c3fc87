// What the nodes' first ranks bring together on rank 0, along a binomial tree: O(log nodes) steps.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "engine/file/ranks.hpp"

namespace collio::engine {

/// Combines the numbers of all nodes' first ranks element by element, by MPI_SUM or MPI_MAX, on rank 0;
/// elsewhere `numbers` is of no use afterwards. Collective among the nodes' first ranks.
void combine_on_first(const Ranks& ranks, std::vector<std::int64_t>& numbers, MPI_Op op);
/// Rank 0's number. Collective among the nodes' first ranks.
[[nodiscard]] std::int64_t number_of_first(const Ranks& ranks, std::int64_t number);

}  // namespace collio::engine
