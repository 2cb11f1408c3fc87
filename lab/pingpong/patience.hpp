// Waiting that leaves the processor to others. A lab has many ranks on few cores: one that polled without a
// pause would slow down the kernel's forwarding, which is what is measured.
#pragma once

#include <mpi.h>

#include <vector>

namespace collio::pingpong {

/// Seconds since some moment, the same for all ranks of a machine. MPI_Wtime's moment may be each rank's own.
[[nodiscard]] double now_s();

/// Gives the core away for about 50 microseconds.
void nap();

/// As MPI_Wait and MPI_Waitall, asleep between two looks.
void wait(MPI_Request& request);
void wait(std::vector<MPI_Request>& requests);

/// As MPI_Barrier. Collective.
void barrier();

/// Sums over all ranks, on rank 0; what the others get is undefined. Collective.
void sum_on_first(std::vector<double>& numbers);

}  // namespace collio::pingpong
