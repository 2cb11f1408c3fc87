// Small reductions by which all ranks come to the same knowledge. All Collective; none spins.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "core/result.hpp"
#include "policy/digest.hpp"

namespace collio::exchange {

/// Combines the ranks' digests. One reduction.
void agree(MPI_Comm comm, policy::Digest& digest);

/// How a call ended, on all ranks.
struct Outcome {
  std::int64_t error = 0;                             ///< worst core::ErrorClass
  std::int64_t intact_below = policy::Digest::nothing;  ///< all bytes of the call below this offset were moved
  std::int64_t failed_rank = -1;                      ///< highest rank with the worst error; -1: none
};

/// The worst error wins; the lowest `intact_below` wins. One reduction.
void agree(MPI_Comm comm, Outcome& outcome);

/// Element-wise sum over ranks; `counts` has the same length everywhere.
void sum(MPI_Comm comm, std::vector<std::int32_t>& counts);

/// Element-wise maximum over ranks.
void maximum(MPI_Comm comm, std::vector<std::int32_t>& values);

}  // namespace collio::exchange
