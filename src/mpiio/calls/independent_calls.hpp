// Independent data calls on files whose view the MPI library was not given.
#pragma once

#include "mpiio/shim/calls.h"

#include <memory>

#include "mpiio/open/open_files.hpp"

namespace collio::mpiio {

/// The file of an independent call that the MPI library cannot do: its view is not in the library. Null when
/// it can; a file of one rank gets its view installed first.
[[nodiscard]] std::shared_ptr<OpenFile> own_independent(MPI_File handle);

/// This rank writes in a way that may come beside a collective call that other ranks, or other threads, are
/// in. They see a mark of it from now on (storage/writer_mark.hpp). Returns when no window is being written
/// whole by those who did not see it yet. An error: there is no memory. Not collective.
[[nodiscard]] core::Error writes_beside(MPI_File handle);

}  // namespace collio::mpiio
