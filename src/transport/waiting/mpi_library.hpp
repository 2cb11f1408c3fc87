// Which MPI library runs, where libraries differ. An engine for MPI's standard ABI knows it at run time
// alone.
#pragma once

namespace collio::transport {

/// Open MPI; false: MPICH or one made from it. Not collective. O(1) after the first call.
[[nodiscard]] bool is_open_mpi();

/// The program's threads may call MPI at any time. Not collective.
[[nodiscard]] bool any_thread_may_call();

}  // namespace collio::transport
