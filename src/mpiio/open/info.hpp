// MPI_Info to hints and back.
#pragma once

#include "mpiio/shim/calls.h"

#include "engine/file/file.hpp"
#include "engine/session/environment_hints.hpp"

namespace collio::mpiio {

using engine::Pairs;

/// All pairs of `info`; none for MPI_INFO_NULL. Not collective.
[[nodiscard]] Pairs pairs_of(MPI_Info info);

/// A copy of `info` for the MPI library's own open, to be freed. It has the environment's hints, which MPI
/// limits in length: longer ones are left out, with a warning. It lacks values that some libraries fail on,
/// and a cb_nodes that collio chose.
[[nodiscard]] MPI_Info merged_info(MPI_Info info, engine::EnvironmentHints& environment);

/// Writes what is in force for `file` into `info`, the MPI library's answer, and which of it is nobody's
/// choice.
void put_in_force(const engine::File& file, MPI_Info info);

}  // namespace collio::mpiio
