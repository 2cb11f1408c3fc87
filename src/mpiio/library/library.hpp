// The MPI library's own functions, and the shim that found them.
#pragma once

#include "mpiio/shim/calls.h"

namespace collio::mpiio {

/// Set once, before any call.
extern const collio_calls* real;
extern const collio_shim* shim;

}  // namespace collio::mpiio
