// What a process can tell of its whole job without asking other ranks: a file may be opened by a few of them.
#pragma once

#include <string>

#include "machine/crowding.hpp"
#include "machine/machine.hpp"

namespace collio::engine {

/// Whether the job's ranks on this node outnumber their cores. `now`: what a file's communicator tells; the
/// one with most ranks on the node so far counts, as how a process waits is for all its files. Not
/// collective. Thread-safe.
[[nodiscard]] double ranks_per_core_of_job(const machine::NodeShare& now);

/// Nodes of the whole job by the launcher's variables; 1 where there are none. Not collective.
[[nodiscard]] int nodes_of_job();

/// Constants of the file system of `path`, for a job with as many nodes as this one has. Not collective.
[[nodiscard]] machine::StorageModel model_for_job(const std::string& path);

}  // namespace collio::engine
