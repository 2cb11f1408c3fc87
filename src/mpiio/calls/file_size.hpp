// What calls that change a file's length or its room on disk have in common.
#pragma once

#include "mpiio/shim/calls.h"

#include "mpiio/open/open_files.hpp"

namespace collio::mpiio {

/// Error: ranks ask for different sizes, or for one below 0, or the file was opened read-only. The same on
/// all ranks. Collective.
[[nodiscard]] core::Error check_size(const OpenFile& file, const engine::Ranks& ranks, MPI_Offset bytes);

/// MPI_File_preallocate of a file that is not in subfiles, inside a visit: by rank 0's handle, and by the MPI
/// library where rank 0 cannot have one. Open MPI's own (OMPIO) reads and writes at rank 0's file pointer,
/// through its view, and ranks that see the new length too early miss one of its broadcasts. Collective.
[[nodiscard]] int preallocate_file(OpenFile& file, const engine::Ranks& ranks, MPI_File handle,
                                   MPI_Offset bytes);

}  // namespace collio::mpiio
