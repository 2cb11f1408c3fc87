// A collective call that is simulated, and who serves which domain.
#pragma once

#include <vector>

#include "policy/aggregators/aggregators.hpp"
#include "policy/plan/plan.hpp"
#include "simulate/model.hpp"
#include "simulate/outcome.hpp"
#include "simulate/shares.hpp"

namespace collio::simulate {

/// A job on a machine. The topology and the job outlive it.
struct CallSetting {
  const machine::Topology& topology;
  const Job& job;
  /// network node of each node of the job
  std::vector<int> nodes;
  Model model;
  policy::Hints hints;
  bool reads = false;

  [[nodiscard]] machine::Trip trip(int from, int to) const {
    return {nodes[static_cast<std::size_t>(from)], nodes[static_cast<std::size_t>(to)]};
  }
  /// Ranks of a node that work at the same time.
  [[nodiscard]] double parallel(int node) const {
    const double ranks = job.ranks_on(node);
    if (model.node.processors > 0) return std::min<double>(ranks, model.node.processors);
    return model.node.cores > 0 ? std::min(ranks, model.node.cores) : ranks;
  }
  /// A rank's time for its work, over its time on a core of its own. 1 where nodes share cores: there a rank
  /// waits for one (ProcessorClocks).
  [[nodiscard]] double slowdown(int node) const {
    return model.node.processors > 0 ? 1 : job.ranks_on(node) / parallel(node);
  }
};

/// The machine as policies see it.
[[nodiscard]] machine::Machine machine_of(const CallSetting& setting);

/// What the engine would do, `path` automatic: what it would choose.
struct PlannedCall {
  machine::Machine machine;
  policy::Plan plan;
  /// of each domain
  std::vector<policy::Seat> seats;
};
[[nodiscard]] PlannedCall plan_call(const CallSetting& setting, const policy::Digest& digest,
                                    policy::Path path);

}  // namespace collio::simulate
