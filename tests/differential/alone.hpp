// Independent calls: which of them collio serves, and views through which it serves all.
#pragma once

#include "case.hpp"

namespace collio::differential {

/// The case with file types that collio does not give to the MPI library; a quarter of the cases stay as they
/// are. Pure.
[[nodiscard]] Case with_costly_views(Case subject);

/// Whether the MPI library itself may serve some of the case's independent calls. Pure.
[[nodiscard]] bool library_takes_part(const Case& subject);

}  // namespace collio::differential
