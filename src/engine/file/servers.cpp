// See servers.hpp.
#include "engine/file/servers.hpp"

#include <algorithm>

#include "engine/open/pooled.hpp"

namespace collio::engine {

namespace {

/// Where a rank is in a list; -1: nowhere.
int place_of(const std::vector<int>& ranks, int rank) {
  const auto found = std::ranges::find(ranks, rank);
  return found == ranks.end() ? -1 : static_cast<int>(found - ranks.begin());
}

}  // namespace

Servers servers_on(const std::vector<policy::Seat>& seats, const Place& place,
                   const transport::Agreement& agreement, int rank) {
  Servers servers;
  for (const policy::Seat& seat : seats) servers.homes.edit().push_back(seat.node);
  servers.ranks = ranks_of(agreement, seats, place, rank);
  pool(servers.homes);
  pool(servers.ranks);
  servers.mine = place_of(servers.ranks, rank);
  return servers;
}

void Servers::add_receivers(const std::vector<policy::Seat>& seats, const Place& place,
                            const transport::Agreement& agreement, int rank) {
  receivers = ranks_of(agreement, policy::seats_beside(seats, place.machine), place, rank);
  pool(receivers);
  receives = place_of(receivers, rank) >= 0;
}

Servers Servers::in_order_of(const std::vector<int>& seat_of_domain, int rank) const {
  Servers placed;
  for (const int seat : seat_of_domain) {
    const auto i = static_cast<std::size_t>(seat);
    placed.ranks.edit().push_back(ranks[i]);
    placed.homes.edit().push_back(homes[i]);
    if (!receivers.empty()) placed.receivers.edit().push_back(receivers[i]);
  }
  placed.mine = place_of(placed.ranks, rank);
  placed.receives = place_of(placed.receivers, rank) >= 0;
  return placed;
}

}  // namespace collio::engine
