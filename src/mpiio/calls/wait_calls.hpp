// The MPI functions that complete requests, while requests of collio's own are under way.
#pragma once

#include "mpiio/shim/calls.h"

namespace collio::mpiio {

/// Collio's forms. The MPI library still completes the requests; around that, calls on fibers take steps,
/// waiting is polite, and errors of collio's requests are raised on their files.
[[nodiscard]] collio_waits make_waits();

}  // namespace collio::mpiio
