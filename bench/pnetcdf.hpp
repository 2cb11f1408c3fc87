// A pattern through PnetCDF's nonblocking calls: one variable of bytes, a request for each call of the
// pattern, and one wait for all of a step.
#pragma once

#include "operation.hpp"

namespace collio::bench {

/// Where the variable begins in the file. Content is a function of the place in the file, so it counts.
inline constexpr std::int64_t pnetcdf_header_bytes = 4096;

/// The pattern through the PnetCDF at `library` (a path of libpnetcdf.so), loaded for this: the program
/// itself is not linked with any. Making the lists of pieces is not timed. Collective over MPI_COMM_WORLD.
[[nodiscard]] Outcome run_pnetcdf(Direction direction, const Target& target, const Work& work,
                                  const Pattern& pattern);

/// What the library says of itself; empty if it cannot be loaded.
[[nodiscard]] std::string pnetcdf_version(const Target& target);

/// Throws UsageError where it cannot be done so: no library is named, the pattern's buffer has gaps, the
/// calls are not blocking, or there is a read without a write that makes the file.
void check_pnetcdf(const Pattern& pattern, const std::string& name, const Target& target, bool plain);

}  // namespace collio::bench
