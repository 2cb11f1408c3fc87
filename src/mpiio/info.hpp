// MPI_Info to hints and back.
#pragma once

#include "mpiio/calls.h"

#include <map>
#include <string>

#include "engine/file.hpp"

namespace collio::mpiio {

using Pairs = std::map<std::string, std::string>;

/// All pairs of `info`; none for MPI_INFO_NULL. Not collective.
[[nodiscard]] Pairs pairs_of(MPI_Info info);

/// The environment's hints (COLLIO_HINTS, COLLIO_ENABLE=0). Not collective.
[[nodiscard]] Pairs environment_hints();

/// A copy of `info` with the environment's hints added and without values that are not allowed (some libraries
/// fail on them), for the MPI library's own open. To be freed.
[[nodiscard]] MPI_Info merged_info(MPI_Info info, const Pairs& environment);

/// Writes what is in force for `file` into `info`.
void put_in_force(const engine::File& file, MPI_Info info);

}  // namespace collio::mpiio
