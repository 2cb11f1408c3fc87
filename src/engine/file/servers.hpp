// The ranks that serve the file domains of a file.
#pragma once

#include <vector>

#include "core/shared.hpp"
#include "engine/open/discover.hpp"

namespace collio::engine {

/// Aggregators, in domain order.
struct Servers {
  /// of each
  core::SharedList<int> ranks;
  /// node of each
  core::SharedList<int> homes;
  /// see add_receivers(); empty: none were added
  core::SharedList<int> receivers;
  /// domain this rank serves; -1: none
  int mine = -1;
  /// this rank is one of the receivers
  bool receives = false;

  /// A number for a seat of no aggregator, beyond those of aggregators. The same on all ranks.
  [[nodiscard]] int number_of(const policy::Seat& spare, const Place& place) const;
  [[nodiscard]] bool has_spare(const std::vector<int>& seat_of_domain) const noexcept;
  /// Seats of the aggregators, where the ranks of nodes are evenly spaced. O(aggregators).
  [[nodiscard]] std::vector<policy::Seat> seats(const Place& place) const;
  /// The same ones when domain d is served by aggregator `seat_of_domain[d]`, or by the rank on the spare
  /// seat of that number. Not collective. O(domains), with spare seats O(nodes + domains * ranks of a node).
  [[nodiscard]] Servers in_order_of(const std::vector<int>& seat_of_domain, const Place& place,
                                    int rank) const;

  /// For each aggregator a rank of its node that receives for it in writes with two layers. Where storage
  /// calls do not go on by themselves, an aggregator inside one receives nothing, and all nodes would wait
  /// for it. Collective where a node's ranks are not evenly spaced.
  void add_receivers(const std::vector<policy::Seat>& seats, const Place& place,
                     const transport::Agreement& agreement, int rank);
};

/// Aggregators on these seats. Collective where a node's ranks are not evenly spaced.
[[nodiscard]] Servers servers_on(const std::vector<policy::Seat>& seats, const Place& place,
                                 const transport::Agreement& agreement, int rank);

}  // namespace collio::engine
