// The job of a command line: its pattern, and where it runs.
#pragma once

#include <string>

#include "options.hpp"
#include "simulate/demand.hpp"

namespace collio::planner {

/// Of --pattern with its options, --ranks and --ranks-per-node. Throws UsageError.
[[nodiscard]] simulate::Job planned_job(bench::Options& options);

}  // namespace collio::planner
