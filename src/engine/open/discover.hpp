// Which nodes a communicator spans, and where this rank sits.
#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

#include "core/index.hpp"
#include "core/shared.hpp"
#include "machine/emulated_nodes.hpp"
#include "machine/machine.hpp"
#include "machine/node_reader.hpp"
#include "policy/aggregators/aggregators.hpp"
#include "transport/liveness/roll_call.hpp"
#include "transport/node_memory/agreement.hpp"

namespace collio::engine {

struct Place {
  machine::Machine machine;
  /// of this rank
  policy::Seat seat;
  /// of each node
  core::SharedList<transport::NodeRanks> ranks;
  /// of shared memory that windows may take, on the node that has least; 0: not known
  std::int64_t shared_bytes = 0;
  /// the ranks of this rank's node; the caller's to free
  MPI_Comm node = MPI_COMM_NULL;

  /// First rank of a node.
  [[nodiscard]] int leader(int of_node) const noexcept { return ranks[core::at(of_node)].first; }
  /// Of all nodes.
  [[nodiscard]] std::vector<int> leaders() const;
  /// The ranks of each node are evenly spaced.
  [[nodiscard]] bool even() const noexcept;
};

/// Null where MPI fails. Collective.
[[nodiscard]] MPI_Comm ranks_that_share_memory(MPI_Comm comm);

/// Everything but the network. Collective. Ranks share a node when they can share memory and their hosts have
/// one name. `shared`: ranks_that_share_memory() of `comm`, not null on any rank; becomes the node's, or is
/// freed. `emulated`: cuts nodes into smaller ones, for tests: the most ranks as the host's first rank says,
/// the part as each rank says. The result is the same on all ranks, except `seat` and `node`. O(nodes) data.
/// Nothing on all ranks: MPI gave no communicator.
[[nodiscard]] std::optional<Place> discover(MPI_Comm comm, MPI_Comm shared,
                                            const machine::EmulatedNodes& emulated);

/// What a node's first rank knows of it. Plain data.
struct NodeFacts {
  std::int32_t cores = 1, numas = 1, nics = 1;
  /// see Place
  std::int64_t shared_bytes = 0;
  double link_bytes_per_s = 0;
};
/// What this process's node has inside: read once. Not collective.
[[nodiscard]] const machine::NodeParts& parts_of_node();
/// Reads them on the first rank of MPI_COMM_WORLD, for whose look the ranks of a first open would wait: 0.2
/// ms. Not collective.
void look_at_node_early() noexcept;
/// `processors`: of all its ranks. Not collective.
[[nodiscard]] NodeFacts facts_of_node(const machine::CpuSet& processors);
/// The place of a rank where all ranks are on one node; without a communicator. Not collective.
[[nodiscard]] Place place_on_one_node(const NodeFacts& facts, int rank, int ranks);

/// Ranks of the seats' holders, in order. `rank` sits on the place's seat. Collective where a node's ranks
/// are not evenly spaced.
[[nodiscard]] std::vector<int> ranks_of(const transport::Agreement& agreement,
                                        const std::vector<policy::Seat>& seats, const Place& place, int rank);

}  // namespace collio::engine
