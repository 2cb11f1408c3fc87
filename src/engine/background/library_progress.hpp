// Steps of calls on fibers from inside the MPI library.
#pragma once

namespace collio::engine {

/// From now on calls on fibers take a step whenever the MPI library itself looks for progress: while the
/// program is in any MPI call that waits, a barrier or a receive. Open MPI can be told so; other libraries
/// cannot, and there calls take steps in MPI_Wait, MPI_Test and their kin and in collio's own calls only. Not
/// collective.
void step_in_library_calls();

}  // namespace collio::engine
