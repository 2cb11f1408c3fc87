// What the MPI library itself says of a view.
//
// Libraries refuse some views that break MPI's rules and take others, each its own. Whether one does is asked
// with a file of this rank alone: in MPI_File_set_view of the program's file, a rank that is refused would
// leave the others waiting.
#pragma once

#include "mpiio/shim/calls.h"

#include "access/access.hpp"
#include "core/result.hpp"

namespace collio::mpiio {

struct AskedView {
  MPI_Offset displacement;
  MPI_Datatype etype, filetype;
  /// as the program opened its file
  bool reads, writes;
};

/// Whether a view may break the rules: negative or descending displacements, overlaps, parts of etypes, types
/// that are none. `view`: its description. Not collective. O(1) once the types are described.
[[nodiscard]] bool is_doubtful(const access::View& view, MPI_Datatype etype);

/// An error of the class that the library gives for the view; none when it takes it, or cannot be asked.
/// `comm`: any one this rank is in. Not collective. Costs a communicator and an open of /dev/null.
[[nodiscard]] core::Error ask_library(MPI_Comm comm, const AskedView& view);

}  // namespace collio::mpiio
