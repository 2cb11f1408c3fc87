// The data calls that collio does, for the engine's table.
#pragma once

#include "mpiio/shim/calls.h"

namespace collio::mpiio {

/// Puts the calls with the individual file pointer and with explicit offsets into the table.
void put_data_calls(collio_calls& table);

}  // namespace collio::mpiio
