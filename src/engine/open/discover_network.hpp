// The network between a job's nodes, from the machine file that COLLIO_MACHINE names.
#pragma once

#include <mpi.h>

#include <string>

#include "machine/machine.hpp"

namespace collio::engine {

/// Gives `machine` its network, if rank 0's COLLIO_MACHINE names a file that tells it; where that fails, the
/// reason. Collective. The result is the same on all ranks. One broadcast of three numbers where the variable
/// is not set; else a small reduction more, and the file's text for ranks of which one has not seen it. Rank
/// 0 reads the file when its time stamp is new, and texts are parsed once per process.
void discover_network(MPI_Comm comm, machine::Machine& machine);

/// Why the network is unknown, with the file's name; empty when it is known, or none was asked for. Not
/// collective; for rank 0, whose environment it was.
[[nodiscard]] std::string why_unknown(const machine::Machine& machine);

/// The same as a warning, when this process has not given it before; else empty.
[[nodiscard]] std::string network_warning(const machine::Machine& machine);

}  // namespace collio::engine
