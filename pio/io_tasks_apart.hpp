/// I/O tasks that are ranks apart from those that compute. In PIO they stay in the call that makes the I/O
/// system, and write what the others send them. collio writes with the ranks that compute, so here they only
/// wait in that call until all components are done.
#pragma once

#include <mpi.h>

namespace collio::pio {

/// What a rank that computes has of them, until its last system of one call is freed.
class IoTasksApart {
 public:
  /// Takes over `world`, in which they and all components are. `first`: of them.
  IoTasksApart(MPI_Comm world, int first) : world_(world), first_(first) {}
  ~IoTasksApart();
  IoTasksApart(const IoTasksApart&) = delete;
  IoTasksApart& operator=(const IoTasksApart&) = delete;

  /// One component is done. Called by one rank of it.
  void tell_done() const;

 private:
  MPI_Comm world_;
  int first_;
};

}  // namespace collio::pio
