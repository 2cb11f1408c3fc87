// The MPI library's own forms of the collective data calls.
#pragma once

#include "mpiio/calls/data_calls.hpp"

namespace collio::mpiio {

/// Forms of a collective data call, as in data_calls.def; split calls end with forward_end().
enum class Ending { blocking, request, begin };

// Both Collective, by the library's rules; the codes are the library's. A count that needs a large-count
// function the library does not have is raised as an error on the file.
int forward(const DataCall& call, Ending ending = Ending::blocking, MPI_Request* request = nullptr);
int forward_end(const DataCall& call);

}  // namespace collio::mpiio
