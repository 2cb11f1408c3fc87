// Files in subfiles that are opened with MPI_MODE_SEQUENTIAL: the shared file pointer alone says where data
// go (MPI-4.0 14.2.1, 14.4). Other calls are errors here, as the MPI library's own would use the placeholder.
#pragma once

#include "mpiio/shim/calls.h"

#include "mpiio/open/open_files.hpp"

namespace collio::mpiio {

/// A file was opened so. Not collective.
void begin_sequential();

/// Where a view of MPI_File_set_view begins: `asked`, or in this mode the byte at the shared file pointer.
/// Error `displacement`: a rank asks for another one in this mode. Collective, inside a visit.
[[nodiscard]] core::Result<std::int64_t> begin_of_view(OpenFile& file, const engine::Ranks& ranks,
                                                       MPI_Offset asked);

/// Puts errors in front of the calls of the table that this mode forbids; those with the shared file pointer
/// go to the table as it was before these were put in.
void put_sequential(collio_calls& table);

}  // namespace collio::mpiio
