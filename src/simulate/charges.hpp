// What collio's calls take beside the bytes that they move: opening a file, agreeing, planning, closing. Each
// cause has its time, the collective operations of MPI in which rank 0 takes part, and the memory that it
// takes on a node. They follow the engine's code (docs/architecture.md, "Cost at scale"): engine/open,
// engine/file/file.cpp, engine/call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulate/call.hpp"

namespace collio::simulate {

struct Charge {
  std::string cause;
  double seconds = 0;
  /// reductions, broadcasts, gathers and new communicators; those of one rank do not count
  std::int64_t collectives = 0;
  /// of the first node, in all its processes
  std::int64_t node_bytes = 0;
};

/// A call, or a part of one.
struct ChargedCall {
  std::string name;
  std::vector<Charge> charges;

  [[nodiscard]] Charge sum() const;
};

/// How late the last rank comes to a digest or outcome, for the naps of the others.
inline constexpr double usual_delay_s = 20e-3;

/// The first open on a communicator, a later one, the first call of a pattern, a later one, and a close.
/// Where domains are placed: O(windows that ranks touch), else O(nodes log nodes).
[[nodiscard]] std::vector<ChargedCall> charged_calls(const CallSetting& setting, const PlannedCall& call);

/// Seconds until all nodes have the result of a digest to which one rank comes so late.
[[nodiscard]] double digest_latency_s(const CallSetting& setting, double late_s);

}  // namespace collio::simulate
