// A reduction among the first ranks of nodes, to which one of them comes late: how long the others take to
// see its result. The MPI library goes on only when it is polled, so each step of its tree may wait for a nap
// to end.
#pragma once

#include "flow/wait_step.hpp"

namespace collio::simulate {

struct LateReduction {
  int nodes = 1;
  /// a message of the tree
  double step_s = 0;
  /// how long the others have waited when the last one comes
  double late_s = 0;
  /// the ranks of a core, and that it is a reduction
  flow::WaitSoFar wait = {};
};

/// Seconds from the last one's coming until all have the result, in ceil(log2 nodes) rounds of the
/// dissemination algorithm. The others come within 100 us. O(nodes log nodes).
[[nodiscard]] double latency_s(const LateReduction& reduction);

/// The same if all ranks polled all the time.
[[nodiscard]] double steps_s(const LateReduction& reduction);

}  // namespace collio::simulate
