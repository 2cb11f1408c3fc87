// What was found out about the ranks of a communicator, kept for the next file that is opened by the same
// ranks.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/open/discover.hpp"

namespace collio::engine {

/// All that a place depends on and that may differ between two opens of this process.
struct PlaceKey {
  /// the same for the same processes in the same order, and for no others
  std::array<std::uint64_t, 2> ranks{};
  /// COLLIO_RANKS_PER_NODE
  std::string ranks_per_node;
  /// this process may run on
  std::vector<std::uint64_t> processors;

  bool operator==(const PlaceKey& other) const noexcept = default;
};

/// COLLIO_RANKS_PER_NODE (machine/emulated_nodes.hpp); empty: it is not set. Not collective.
[[nodiscard]] std::string emulated_nodes_text();
/// What a rank adds to `ranks`, modulo 2^64. Not collective.
[[nodiscard]] std::array<std::uint64_t, 2> identity_at(int rank);
/// Of ranks whose sums these are. Not collective.
[[nodiscard]] PlaceKey key_of(const std::array<std::uint64_t, 2>& ranks);
/// Collective: one reduction of 16 bytes, whatever the number of ranks.
[[nodiscard]] PlaceKey place_key(MPI_Comm comm);

/// The place without its communicator and network; nothing: it is not known here. Not collective.
/// Thread-safe.
[[nodiscard]] std::optional<Place> known_place(const PlaceKey& key);

/// Keeps the last few. Not collective. Thread-safe.
void remember_place(PlaceKey key, const Place& place);

}  // namespace collio::engine
