// Finds a job's nodes in a network.
#pragma once

#include <memory>

#include "core/result.hpp"
#include "machine/machine.hpp"

namespace collio::machine {

/// Gives the machine its network and every node its vertex. An error, and no network, when a node is not in
/// it or two nodes have one name (as nodes cut smaller by COLLIO_RANKS_PER_NODE have). Pure. O(nodes of
/// both).
[[nodiscard]] core::Error locate_nodes(Machine& machine, std::shared_ptr<const Network> network);

/// Fewest and most links between two different nodes of the machine; both 0 where there is one node, or no
/// network.
struct HopRange {
  int least = 0, most = 0;
};
/// O(nodes * nodes * hops).
[[nodiscard]] HopRange hop_range(const Machine& machine);

}  // namespace collio::machine
