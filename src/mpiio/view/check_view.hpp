// What MPI demands of a view's types.
#pragma once

#include <mpi.h>

#include "access/access.hpp"

namespace collio::mpiio {

/// How much is checked: in check mode the filetype too, piece by piece. `writes`: the file may be written.
struct ViewCheck {
  bool pieces = false;
  bool writes = false;
};

/// The view as collio sees it. A null filetype: a datatype is invalid or beyond collio.
[[nodiscard]] access::View describe_view(MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype);

/// Errors of a described view's arguments that the MPI library will not see. Not collective. O(1),
/// or O(pieces).
[[nodiscard]] core::Error check_view(const access::View& view, MPI_Datatype etype, const ViewCheck& check);

}  // namespace collio::mpiio
