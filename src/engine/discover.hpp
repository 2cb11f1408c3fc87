// Which nodes a communicator spans, and where this rank sits.
#pragma once

#include <mpi.h>

#include "exchange/agreement.hpp"
#include "machine/machine.hpp"
#include "policy/aggregators.hpp"

namespace collio::engine {

struct Place {
  machine::Machine machine;
  policy::Seat seat;  ///< of this rank
};

/// Collective. Ranks share a node when they can share memory (MPI_Comm_split_type). The result is the same
/// on all ranks but for `seat`. O(nodes) data.
[[nodiscard]] Place discover(MPI_Comm comm);

/// Ranks of the seats' holders, in order. `rank` sits on `mine`. Collective.
[[nodiscard]] std::vector<int> ranks_of(const exchange::Agreement& agreement, const std::vector<policy::Seat>& seats,
                                        const policy::Seat& mine, int rank);

}  // namespace collio::engine
