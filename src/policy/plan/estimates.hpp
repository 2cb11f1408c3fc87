// How long each path would take, apart from what all paths share.
//
// Orders of magnitude, not fits: the benchmarks check that the choice is right where it matters, and trials
// find out what estimates cannot know. Every constant has its source beside it in the source file.
#pragma once

#include "machine/machine.hpp"
#include "policy/plan/digest.hpp"

namespace collio::policy {

/// A call to be estimated.
struct Prospect {
  const Digest& digest;
  /// of the file
  int aggregators = 1;
  /// of these, with a domain of the call
  int serving = 1;
  bool write = true;
};

/// Seconds by path.
struct Estimates {
  double two_layer_s = 0;
  double two_phase_s = 0;
  double independent_s = 0;
};

/// Pure. O(nodes).
[[nodiscard]] Estimates estimate(const Prospect& call, const machine::Machine& machine);

}  // namespace collio::policy
