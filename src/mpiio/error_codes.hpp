// collio's error classes as MPI error codes.
#pragma once

#include <mpi.h>

#include "core/result.hpp"

namespace collio::mpiio {

/// An MPI error code of the right class whose text says what happened. Not collective. Codes are made once per
/// class; the text is that of the latest error.
[[nodiscard]] int error_code(const core::Error& error);

/// Calls the file's error handler and returns the code, as an MPI function does.
int raise(MPI_File file, const core::Error& error);

}  // namespace collio::mpiio
