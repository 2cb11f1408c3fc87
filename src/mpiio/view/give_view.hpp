// The program's view for the MPI library, which has the etype alone of a view that is costly to it, until it
// has to do a call itself.
#pragma once

#include "mpiio/open/open_files.hpp"

namespace collio::mpiio {

/// Whether the library takes this rank's view. No, where it cannot be asked, as the file has no communicator
/// between its calls. Not collective.
[[nodiscard]] bool library_takes_view(const OpenFile& file);

/// Gives the library the program's view, unless it has it; file pointers stay. An error on all ranks, through
/// the file's error handler, where the library refuses a rank's view. Collective.
int give_view(OpenFile& file, const engine::Ranks& ranks, MPI_File handle);

}  // namespace collio::mpiio
