// COLLIO_RANKS_PER_NODE: smaller nodes than the job has, for tests. The only reader of its text.
#pragma once

#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace collio::machine {

/// Which ranks of one host count as one node. Plain data.
struct EmulatedNodes {
  /// of a node; 0: any number
  int most_ranks = 0;
  /// nodes that ranks are dealt over; 0: they are not dealt
  int cycle = 0;
  /// nodes of ranks 0, 1, ...; after the last comes the first again
  std::vector<int> listed;

  /// Of a rank in its communicator; 0 for all of them where neither `cycle` nor `listed` says otherwise.
  [[nodiscard]] int part_of(int rank) const noexcept;
  /// The same with nodes of `most_ranks`, where all ranks are on one host.
  [[nodiscard]] int node_of(int rank) const noexcept;
  /// How many nodes `ranks` ranks of one host are on.
  [[nodiscard]] int nodes(int ranks) const;
};

/// "3", "cyclic:2" or "0,1,1,0,2"; empty: one node. Pure.
[[nodiscard]] core::Result<EmulatedNodes> read_emulated_nodes(std::string_view text);

}  // namespace collio::machine
