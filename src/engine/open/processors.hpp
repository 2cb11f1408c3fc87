// The processors that ranks may run on, however many a node has.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "machine/node_reader.hpp"

namespace collio::engine {

/// The affinity mask of this process, a bit a processor, as long as the kernel's. Empty if the kernel does
/// not tell. Not collective.
[[nodiscard]] std::vector<std::uint64_t> own_processors();

/// Of a mask, a bit a processor.
[[nodiscard]] machine::CpuSet cpu_set(const std::vector<std::uint64_t>& mask);

/// The union of the ranks' masks. Collective over `node`.
[[nodiscard]] machine::CpuSet processors_of_node(MPI_Comm node);

}  // namespace collio::engine
