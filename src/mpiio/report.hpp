// The report of a file: one JSON line, written at close by rank 0 of its communicator.
#pragma once

#include "engine/file.hpp"

namespace collio::mpiio {

/// Collective over the file's communicator. Does nothing unless COLLIO_REPORT names a file on rank 0.
void write_report(engine::File& file);

}  // namespace collio::mpiio
