// Collective data calls that the program does not wait for: nonblocking and split.
#pragma once

#include "mpiio/calls/data_calls.hpp"

namespace collio::mpiio {

// All Collective, by MPI's rules for these calls.
int nonblocking(const DataCall& call, MPI_Request* request);
int begin_split(const DataCall& call);
int end_split(const DataCall& call);

}  // namespace collio::mpiio
