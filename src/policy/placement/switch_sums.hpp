// What one switch's links carry at least, and with domains in order, from sums over nodes and domains alone.
//
// On one switch a node's link carries what the node sends and receives. Both follow from its bytes, those of
// the domains it serves, and those it keeps. The sums can be made in parts, node by node, and combined, so
// that nobody looks at all pairs of nodes and domains where they already show that nothing can be gained.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policy/placement/choose_assignment.hpp"
#include "policy/placement/placement.hpp"

namespace collio::policy {

/// Null: the network is another, or nodes of the job share links.
[[nodiscard]] const machine::SingleSwitch* only_switch(const PlacementProblem& problem);

class SwitchSums {
 public:
  /// Of no bytes yet.
  SwitchSums(int nodes, int domains);
  /// Of all entries. O(entries + nodes + domains + aggregators).
  explicit SwitchSums(const PlacementProblem& problem);

  /// A node's part; `room`: domains it may serve. The problem needs no rows.
  void add_row(const PlacementProblem& problem, int node, std::span<const DomainBytes> row, int room);

  [[nodiscard]] std::int64_t of_domain(int domain) const noexcept { return sums[place(domain)]; }
  /// Of the node that has most.
  [[nodiscard]] std::int64_t most_of_domain(int domain) const noexcept { return most[place(domain)]; }
  [[nodiscard]] std::int64_t of_node(int node) const noexcept { return sums[place(domains_ + node)]; }
  /// Of a node, with domains in order.
  [[nodiscard]] std::int64_t kept_in_order(int node) const noexcept {
    return sums[place(domains_ + nodes_ + node)];
  }
  /// Most bytes of a node beyond what it can keep.
  [[nodiscard]] std::int64_t least_sent() const noexcept { return most.back(); }
  [[nodiscard]] std::int64_t entries() const noexcept { return sums.back(); }

  /// Parts combine by adding up `sums`, number by number, and by the larger ones of `most`.
  std::vector<std::int64_t> sums, most;

 private:
  [[nodiscard]] static std::size_t place(int i) noexcept { return static_cast<std::size_t>(i); }
  int nodes_, domains_;
};

/// Bytes that the link of each node carries.
struct NodeLoads {
  /// With domains in order. O(nodes + domains).
  NodeLoads(const PlacementProblem& problem, const SwitchSums& sums);
  /// O(nodes + domains log entries).
  NodeLoads(const PlacementProblem& problem, const SwitchSums& sums, const std::vector<int>& home_of_domain);
  [[nodiscard]] std::int64_t worst(int node) const noexcept;
  [[nodiscard]] int busiest() const noexcept;

  /// [node of the job]: bytes for other nodes' domains, and of other nodes for its own
  std::vector<std::int64_t> leaves, enters;
};

/// As measure(), from sums: O(nodes + domains).
[[nodiscard]] PlacementMeasures measure_on_switch(const PlacementProblem& problem, const SwitchSums& sums,
                                                  const NodeLoads& loads,
                                                  const std::vector<int>& seat_of_domain);

/// Bytes that the busiest link of a switch carries at least, however domains are placed. A node keeps at most
/// as many domains as it has room for, and a domain stays away from all nodes but one. O(nodes + domains).
[[nodiscard]] std::int64_t least_on_busiest(const PlacementProblem& problem, const SwitchSums& sums);

/// Domains in order, and what is to be said of them as they are: `bounded` where no others can save
/// least_gain, `nothing_sooner` where others may. The problem is one switch's. O(nodes + domains).
[[nodiscard]] AssignmentChoice in_order_on_switch(const PlacementProblem& problem, const SwitchSums& sums,
                                                  const NodeLoads& loads);

}  // namespace collio::policy
