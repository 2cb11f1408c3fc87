// Waiting without burning a core that another rank of the node needs.
//
// A wait first polls a few times, then gives its time slice away, then sleeps, longer each time up to a
// limit. Any progress starts it over.
#pragma once

#include <mpi.h>

#include <vector>

#include "observe/steps.hpp"

namespace collio::exchange {

class PoliteWait {
 public:
  /// Called when a poll found nothing. Returns after giving other processes a chance.
  void idle() noexcept;
  void progressed() noexcept { idle_polls_ = 0; }

 private:
  int idle_polls_ = 0;
};

/// Completes `request`. Not collective by itself. MPI's own MPI_Wait may spin; this does not.
void wait_for(MPI_Request& request);

}  // namespace collio::exchange
