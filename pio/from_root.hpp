/// Distributed arrays of files that only the root can read.
#pragma once

#include "access.hpp"

namespace collio::pio {

/// Reads this rank's elements into `buffer`, in the file's type and big-endian, as collio reads them from
/// classic files. `own`: a failure of this rank before that; then all ranks read nothing. The root reads
/// parts and broadcasts them, and ranks pick their elements: O(bytes of the array) on all ranks, with the
/// memory of a part. Collective.
[[nodiscard]] Failure get_from_root(const Access& a, const Failure& own, char* buffer);

}  // namespace collio::pio
