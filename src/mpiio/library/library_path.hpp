// The file that the MPI library opened for the program's path.
//
// ROMIO takes what stands before the first colon of a path for a driver ("ufs:/scratch/f"); OMPIO takes it
// for a part of the name. Drivers may keep a file elsewhere than under its name, or not at all.
#pragma once

#include "mpiio/shim/calls.h"

#include <string>

#include "core/result.hpp"

namespace collio::mpiio {

/// Without the name of a driver that makes POSIX calls, if it begins with one. Not collective.
[[nodiscard]] std::string without_driver(const std::string& path);

/// The path under which POSIX calls reach the library's file. Error `other`: there is none that collio knows
/// of. Not collective.
[[nodiscard]] core::Result<std::string> path_of_library(MPI_File file, const std::string& path);

}  // namespace collio::mpiio
