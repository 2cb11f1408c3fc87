// Faults in the fuzzer's calls: what may go wrong with a call, and what must hold when it did.
#pragma once

#include <mpi.h>

#include <string>

#include "model.hpp"
#include "random.hpp"

namespace collio::differential {

/// Rules of faults for one call of `ranks` ranks, as COLLIO_FAULTS has them. Pure.
[[nodiscard]] std::string random_faults(Random& random, int ranks);

/// Puts rules in force for the files that were opened with collio_faults=@path. Collective.
void set_faults(MPI_Comm comm, const std::string& path, const std::string& rules);

/// The same class on all ranks: empty; else what differs. Collective.
[[nodiscard]] std::string disagreement_of(MPI_Comm comm, int error_class);

/// A write that may have failed.
struct TriedWrite {
  std::string path;
  const FileModel& before;  ///< what the file held
  const FileModel& after;   ///< what it holds if all bytes were written
  const Phase& phase;
  const Access& access;  ///< of this rank
  int rank = 0;
  std::int64_t counted = 0;  ///< bytes that the status says were written
};
/// What is not so: counted bytes that are not in the file, bytes that are neither old nor new. Empty:
/// nothing. Not collective.
[[nodiscard]] std::string untruth_of(const TriedWrite& write);

}  // namespace collio::differential
