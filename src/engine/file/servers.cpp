// See servers.hpp.
#include "engine/file/servers.hpp"

#include <algorithm>

#include "core/index.hpp"
#include "engine/open/pooled.hpp"

namespace collio::engine {

namespace {

/// Where a rank is in a list; -1: nowhere.
int place_of(const std::vector<int>& ranks, int rank) {
  const auto found = std::ranges::find(ranks, rank);
  return found == ranks.end() ? -1 : static_cast<int>(found - ranks.begin());
}

/// Of the node that has most.
int most_ranks(const Place& place) {
  int most = 1;
  for (const transport::NodeRanks& node : place.ranks) most = std::max(most, node.count);
  return most;
}

int rank_on(const policy::Seat& seat, const Place& place) {
  const transport::NodeRanks& node = place.ranks[core::at(seat.node)];
  return node.first + seat.local_rank * node.stride;
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

int Servers::number_of(const policy::Seat& spare, const Place& place) const {
  return static_cast<int>(ranks.size()) + spare.node * most_ranks(place) + spare.local_rank;
}

bool Servers::has_spare(const std::vector<int>& seat_of_domain) const noexcept {
  return std::ranges::any_of(seat_of_domain,
                             [&](int seat) { return seat >= static_cast<int>(ranks.size()); });
}

std::vector<policy::Seat> Servers::seats(const Place& place) const {
  std::vector<policy::Seat> seats;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const transport::NodeRanks& node = place.ranks[core::at(homes[i])];
    seats.push_back({homes[i], (ranks[i] - node.first) / node.stride});
  }
  return seats;
}

Servers Servers::in_order_of(const std::vector<int>& seat_of_domain, const Place& place, int rank) const {
  Servers placed;
  const bool has_spare = this->has_spare(seat_of_domain);
  const int first_spare = static_cast<int>(ranks.size()), of_node = has_spare ? most_ranks(place) : 1;
  for (const int seat : seat_of_domain) {
    const auto i = static_cast<std::size_t>(seat);
    const policy::Seat spare{(seat - first_spare) / of_node, (seat - first_spare) % of_node};
    placed.ranks.edit().push_back(seat < first_spare ? ranks[i] : rank_on(spare, place));
    placed.homes.edit().push_back(seat < first_spare ? homes[i] : spare.node);
    if (!receivers.empty() && !has_spare) placed.receivers.edit().push_back(receivers[i]);
  }
  if (!receivers.empty() && has_spare)
    for (const policy::Seat& seat : policy::seats_beside(placed.seats(place), place.machine))
      placed.receivers.edit().push_back(rank_on(seat, place));
  placed.mine = place_of(placed.ranks, rank);
  placed.receives = place_of(placed.receivers, rank) >= 0;
  return placed;
}

}  // namespace collio::engine
