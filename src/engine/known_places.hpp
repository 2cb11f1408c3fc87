// What was found out about the ranks of a communicator, kept for the next file that is opened by the same ranks.
#pragma once

#include <mpi.h>
#include <sched.h>

#include <optional>
#include <string>
#include <vector>

#include "engine/discover.hpp"

namespace collio::engine {

/// All that a place depends on and that may differ between two opens of this process.
struct PlaceKey {
  std::vector<int> ranks;      ///< in MPI_COMM_WORLD, in order; empty: some are not there, and nothing is kept
  std::string ranks_per_node;  ///< COLLIO_RANKS_PER_NODE
  cpu_set_t processors{};      ///< this process may run on

  bool operator==(const PlaceKey& other) const noexcept {
    return ranks == other.ranks && ranks_per_node == other.ranks_per_node && CPU_EQUAL(&processors, &other.processors);
  }
};

/// Not collective. O(ranks).
[[nodiscard]] PlaceKey place_key(MPI_Comm comm);

/// The place without its communicator and network; nothing: it is not known here. Not collective. Thread-safe.
[[nodiscard]] std::optional<Place> known_place(const PlaceKey& key);

/// Keeps the last few. Not collective. Thread-safe.
void remember_place(PlaceKey key, const Place& place);

}  // namespace collio::engine
