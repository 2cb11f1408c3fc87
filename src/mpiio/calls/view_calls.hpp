// The calls on a file's view, and those that need it to know where a byte is.
#pragma once

#include <cstddef>

#include "access/access.hpp"
#include "core/result.hpp"
#include "mpiio/open/open_files.hpp"
#include "mpiio/shim/calls.h"

namespace collio::mpiio {

/// First etype of the view at or after the end of the file. Not collective.
[[nodiscard]] core::Result<std::int64_t> end_in_view(const OpenFile& file, MPI_File handle);

/// The byte of the file at which an etype of a view begins. Not collective.
[[nodiscard]] std::int64_t byte_of_etype(const access::View& view, std::int64_t etype);

/// Puts collio's functions into the engine's table.
void put_views(collio_calls& table);

}  // namespace collio::mpiio
