// Whether the ranks of a job on a node outnumber the cores they may run on: then a rank that waits should
// sleep soon.
//
// A file knows the ranks of its communicator, which may be one rank of many: MPI_COMM_SELF, ranks that do I/O
// for others. Cores of some ranks say nothing of the job's until they are set against the same ranks.
#pragma once

#include <algorithm>
#include <cstdint>

namespace collio::machine {

/// Ranks on a node and the cores they may run on together.
struct NodeShare {
  int ranks = 1, cores = 1;
};

/// Ranks for each core, by what is known of `some` of the job's ranks on a node. `job_ranks`: all of them; 0:
/// not told. `node_cores`: of the whole node. Others are taken to be bound as these are. Pure.
[[nodiscard]] inline double ranks_per_core(const NodeShare& some, int job_ranks, int node_cores) noexcept {
  if (job_ranks <= some.ranks) return static_cast<double>(some.ranks) / some.cores;
  const std::int64_t alike = (std::int64_t{some.cores} * job_ranks + some.ranks - 1) / some.ranks;
  return job_ranks /
         static_cast<double>(std::max<std::int64_t>(some.cores, std::min<std::int64_t>(node_cores, alike)));
}

}  // namespace collio::machine
