// The benchmark's patterns, and some more, as what the planner needs: every rank's bytes as core's patterns,
// without datatypes.
#pragma once

#include <span>

#include "options.hpp"
#include "simulate/demand.hpp"

namespace collio::planner {

using bench::Options;

struct AccessEntry {
  const char* name;
  const char* options;  // as in the usage text
  /// One collective call of `ranks` ranks, a rank a node: span and access of the job.
  simulate::Job (*make)(Options&, int ranks);
};

/// Every pattern there is.
[[nodiscard]] std::span<const AccessEntry> access_table();

}  // namespace collio::planner
