// The calls on a file's view, and those that need it to know where a byte is.
#pragma once

#include <cstddef>

#include "mpiio/calls.h"

namespace collio::mpiio {

/// Numbers that ranks agree on in MPI_File_set_view.
inline constexpr std::size_t view_word_count = 9;

/// Puts collio's functions into the engine's table.
void put_views(collio_calls& table);

}  // namespace collio::mpiio
