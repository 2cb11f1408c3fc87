// collio's error classes as MPI error codes.
#pragma once

#include <mpi.h>

#include <string>

#include "core/result.hpp"

namespace collio::mpiio {

/// An MPI error code of the right class whose text says what happened. Not collective. Codes are made once
/// per class; the text is that of the latest error.
[[nodiscard]] int error_code(const core::Error& error);

/// The class of collio's that stands for one of MPI's; `other` for those that collio has none for.
[[nodiscard]] core::ErrorClass class_of(int error_class);

/// MPI_Error_string. The text of a code made above is collio's to tell: MPICH 4.0 has another one for a code
/// that was added to a class of the standard's ("Network type AF_INET invalid in call to inet_pton").
int error_string(int code, char* text, int* length);

/// Calls the file's error handler and returns the code, as an MPI function does.
int raise(MPI_File file, const core::Error& error);
/// The same, with a class of MPI's that collio has none for.
int raise(MPI_File file, int error_class, const std::string& message);

}  // namespace collio::mpiio
