// Probes targets: several samples of each, a few targets at a time, and no longer than it takes to see that
// one is slow or does not answer.
//
// Samples are taken in rounds: the first of every target, then the second, and so on, so that what disturbs
// this node for a moment does not fall on one target. Son et al. (2016) let every target be written at the
// same time by one process each. One process that did so would divide its node's link among all of them,
// and see only that; one target after the other takes as many times longer as there are targets. So `at_once`
// of them are written together. A sample that takes four times as long as is usual ends early: its target is
// slow, and its rate is known. After three such samples there are no more.
#pragma once

#include <vector>

#include "storage/probe/budget.hpp"
#include "storage/probe/measurement.hpp"
#include "storage/probe/target.hpp"

namespace collio::storage::probe {

struct MeasureLimits {
  /// until a target that does not get on is stuck: no block of a sample is written
  double patience_s = 2;
  /// the probe ends then. No sample begins in the last patience_s of it, or the last half
  double most_s = 30;
  bool direct = true;
};

/// One measurement for each target, in their order. Not collective. Returns within most_s, whatever the
/// targets do. One whose first sample is under way then is stuck. A target that does not answer keeps a
/// thread and, if it made one, a file without a name until it does. Nothing is left on the others.
[[nodiscard]] std::vector<Measurement> measure(const std::vector<Target>& targets, const Budget& budget,
                                               int at_once, const MeasureLimits& limits);

}  // namespace collio::storage::probe
