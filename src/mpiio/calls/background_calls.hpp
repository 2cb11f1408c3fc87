// Collective data calls that the program does not wait for: nonblocking and split.
#pragma once

#include "mpiio/shim/calls.h"

namespace collio::mpiio {

/// Puts collio's forms of iwrite_all, iread_all, write_all_begin, write_all_end and their kin into the table.
void put_background(collio_calls& table);

}  // namespace collio::mpiio
