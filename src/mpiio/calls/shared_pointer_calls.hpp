// Calls with the shared file pointer. Where collio keeps it (shared_pointer.hpp), each is the call of the
// same kind with an explicit offset; else the MPI library does it.
#pragma once

#include "mpiio/shim/calls.h"

namespace collio::mpiio {

/// Puts them into the table, which has all other calls already, and these as the library does them.
void put_shared(collio_calls& table);

}  // namespace collio::mpiio
