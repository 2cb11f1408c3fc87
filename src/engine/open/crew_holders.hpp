// What keeps crews between files: an attribute of the program's communicators.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "transport/node_memory/node_board.hpp"

namespace collio::engine {

class Crew;

/// Keeps `crew` until `comm` is freed, or, where its ranks are those of MPI_COMM_WORLD or MPI_COMM_SELF in
/// their order, until MPI_Finalize. Of crews whose ranks have moved to other processors since, only the last
/// few. Not collective; alike on all ranks.
void hold(MPI_Comm comm, const std::shared_ptr<Crew>& crew);

/// The latest crew kept for the ranks of `comm` that fits this process; null: there is none. Not collective.
[[nodiscard]] std::shared_ptr<Crew> held_crew(MPI_Comm comm);

/// Of the opens on a communicator, not on its duplicates; the same on all its ranks.
struct Met {
  /// in which all ranks had an engine
  std::int64_t opens = 0;
  /// null: they have none
  std::shared_ptr<transport::NodeBoard> board;
};
/// Lives until `comm` is freed, or MPI ends. Not collective.
[[nodiscard]] Met& met_on(MPI_Comm comm);

}  // namespace collio::engine
