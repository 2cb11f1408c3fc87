// How long what collio keeps of MPI, such as keyvals and error codes, is of use.
//
// With MPI_Init that is until MPI_Finalize. A program of sessions may end MPI and begin it again: handles
// kept from before are then wrong, and MPI has no call that tells. Communicators must be freed before a
// session ends, so what is kept ends with the last of collio's own.
#pragma once

#include <cstdint>

namespace collio::access {

/// Between MPI_Init and MPI_Finalize: MPI_COMM_WORLD is there. Not in a program of sessions alone.
[[nodiscard]] bool has_world();
/// Among all ranks of the job; `otherwise` where there is no world.
[[nodiscard]] int rank_in_world(int otherwise);

/// MPI is there while one of these lives. Thread-safe.
class MpiStays {
 public:
  MpiStays();
  ~MpiStays();
  MpiStays(const MpiStays&) = delete;
  MpiStays& operator=(const MpiStays&) = delete;
};

/// MPI_Finalize is under way.
void end_mpi_life();

/// Number of MPI's present life. What was kept in another one is of no use.
[[nodiscard]] std::uint64_t mpi_life();

/// Whether the present life is known to go on: what is made now may be kept.
[[nodiscard]] bool mpi_stays();

}  // namespace collio::access
