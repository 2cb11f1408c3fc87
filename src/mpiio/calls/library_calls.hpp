// The MPI library's own forms of the collective data calls.
#pragma once

#include "mpiio/calls/data_calls.hpp"

namespace collio::mpiio {

// All Collective, by the library's rules; the codes are the library's. A count that needs a large-count
// function the library does not have is raised as an error on the file.
int forward(const DataCall& call);
int forward_nonblocking(const DataCall& call, MPI_Request* request);
int forward_begin(const DataCall& call);
int forward_end(const DataCall& call);

}  // namespace collio::mpiio
