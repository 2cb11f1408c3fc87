// A placement: which aggregator serves which file domain, and what that does to the network.
//
// All of it is per node: what counts is how many bytes each node has in each domain, however many ranks it
// has.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/matrix.hpp"
#include "core/result.hpp"
#include "machine/topology.hpp"

namespace collio::policy {

/// Aggregators with seats on nodes, domains with bytes from nodes, and the network between the nodes.
struct PlacementProblem {
  const machine::Topology& topology;
  std::vector<int> nodes;            ///< of the job: network node of each
  core::Matrix<std::int64_t> bytes;  ///< [node of the job][domain]
  std::vector<int> seats;            ///< of each aggregator: its node of the job; not empty
  bool reads = false;                ///< bytes go from aggregators to nodes, else from nodes to aggregators
  int hops_inside_node = 0;          ///< what a byte that stays on its node counts as in hop-bytes

  [[nodiscard]] int domains() const noexcept { return bytes.columns(); }
  [[nodiscard]] int seat_node(int seat) const noexcept { return seats[static_cast<std::size_t>(seat)]; }
  /// Of the network, for bytes between a node of the job and an aggregator on node `home` of the job.
  [[nodiscard]] machine::Trip trip(int node, int home) const noexcept {
    const int out = nodes[static_cast<std::size_t>(node)], in = nodes[static_cast<std::size_t>(home)];
    return reads ? machine::Trip{in, out} : machine::Trip{out, in};
  }
  /// Hops that bytes between the two count.
  [[nodiscard]] int distance(int node, int home) const {
    return node == home ? hops_inside_node : topology.hops(trip(node, home));
  }
};

/// What is wrong with a problem, naming the value and what is allowed. O(nodes + seats + nodes * domains).
[[nodiscard]] core::Error check_placement(const PlacementProblem& problem);

/// Hop-bytes of every domain if an aggregator on node n of the job served it: [n][domain], W = D C in Liu,
/// Zhou & Guo (J. Optimization 2018), 4.3. Rows of nodes without a seat are zero. The distances D are never
/// stored. O(nodes * nodes with seats * domains).
[[nodiscard]] core::Matrix<std::int64_t> workload(const PlacementProblem& problem);

struct PlacementMeasures {
  std::int64_t bytes = 0;               ///< all
  std::int64_t bytes_inside_nodes = 0;  ///< that need no network
  std::int64_t hop_bytes = 0;  ///< bytes times the links they pass, and times hops_inside_node inside a node
  machine::BusiestLink busiest;  ///< the link that needs longest for its bytes: no exchange takes less
  std::vector<std::int64_t> seat_bytes;  ///< that each aggregator serves
  double imbalance = 1;                  ///< most bytes of an aggregator by their mean; 1: even, or no bytes
};

/// visit(node, home, bytes): what a node has for all aggregators on node `home`, where there is anything.
/// `seat_of_domain`: aggregator of every domain. O(nodes * (nodes + domains)), memory O(nodes + domains).
template <class Visit>
void for_each_demand(const PlacementProblem& problem, const std::vector<int>& seat_of_domain, Visit&& visit) {
  std::vector<std::size_t> homes;
  for (const int seat : seat_of_domain) homes.push_back(static_cast<std::size_t>(problem.seat_node(seat)));
  std::vector<std::int64_t> for_home(problem.nodes.size(), 0);
  for (int node = 0; node < problem.bytes.rows(); ++node) {
    const auto bytes = problem.bytes.row(node);
    for (std::size_t d = 0; d < bytes.size(); ++d) for_home[homes[d]] += bytes[d];
    for (std::size_t home = 0; home < for_home.size(); ++home)
      if (const std::int64_t sum = std::exchange(for_home[home], 0); sum != 0)
        visit(node, static_cast<int>(home), sum);
  }
}

/// `seat_of_domain`: aggregator of every domain. O(links + nodes * (domains + nodes * hops)).
[[nodiscard]] PlacementMeasures measure(const PlacementProblem& problem,
                                        const std::vector<int>& seat_of_domain);
/// Most bytes of an aggregator by their mean, which becomes `measures.imbalance`.
void note_imbalance(PlacementMeasures& measures);

}  // namespace collio::policy
