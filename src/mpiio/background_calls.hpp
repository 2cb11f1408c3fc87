// Collective data calls that the program does not wait for: nonblocking and split.
#pragma once

#include "mpiio/calls.h"

#include "mpiio/open_files.hpp"

namespace collio::mpiio {

/// The program's threads may call MPI at any time.
[[nodiscard]] bool any_thread_may_call();

/// The calls on the file that the program does not wait for; made at first use. Not collective.
[[nodiscard]] engine::WorkQueue& queue_of(OpenFile& file);

/// Puts collio's forms of iwrite_all, iread_all, write_all_begin, write_all_end and their kin into the table.
void put_background(collio_calls& table);

}  // namespace collio::mpiio
