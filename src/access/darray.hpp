// The distributed-array constructor (MPI_Type_create_darray).
#pragma once

#include "access/datatype.hpp"
#include "access/type_contents.hpp"

namespace collio::access {

/// Pattern of a darray of `child`. Analytic for none, block, and cyclic distributions whose blocks fill up
/// evenly; a cyclic dimension with a short last block is listed.
[[nodiscard]] core::Result<core::Pattern> darray_pattern(const TypeLayout& child,
                                                         const TypeContents& contents);

}  // namespace collio::access
