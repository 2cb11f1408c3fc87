// A placement: which aggregator serves which file domain, and what that does to the network.
//
// All of it is per node: what counts is how many bytes each node has in each domain, however many ranks it
// has.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/index.hpp"
#include "core/matrix.hpp"
#include "core/result.hpp"
#include "machine/topology.hpp"
#include "policy/aggregators/node_bytes.hpp"

namespace collio::policy {

class SwitchSums;  // policy/placement/switch_sums

/// Aggregators with seats on nodes, domains with bytes from nodes, and the network between the nodes.
struct PlacementProblem {
  const machine::Topology& topology;
  /// of the job: network node of each
  std::vector<int> nodes;
  /// of each node of the job
  NodeBytes bytes;
  /// of each aggregator: its node of the job; not empty
  std::vector<int> seats;
  /// bytes go from aggregators to nodes, else from nodes to aggregators
  bool reads = false;
  /// what a byte that stays on its node counts as in hop-bytes
  int hops_inside_node = 0;
  /// of all bytes, where `bytes` lacks the smallest entries; of one switch
  const SwitchSums* sums = nullptr;
  /// of the seats, the last ones: of ranks that are no aggregators, for domains out of order
  int spare = 0;

  [[nodiscard]] int domains() const noexcept { return bytes.columns(); }
  [[nodiscard]] int seat_node(int seat) const noexcept { return seats[core::at(seat)]; }
  /// Of a domain in order.
  [[nodiscard]] int seat_in_order(int domain) const noexcept {
    return domain % (static_cast<int>(seats.size()) - spare);
  }
  /// Domains that a seat may have.
  [[nodiscard]] int turns() const noexcept {
    const int all = static_cast<int>(seats.size());
    return std::max(1, (domains() + all - 1) / all);
  }
  /// Of the network, for bytes between a node of the job and an aggregator on node `home` of the job.
  [[nodiscard]] machine::Trip trip(int node, int home) const noexcept {
    const int out = nodes[core::at(node)], in = nodes[core::at(home)];
    return reads ? machine::Trip{in, out} : machine::Trip{out, in};
  }
  /// Hops that bytes between the two count.
  [[nodiscard]] int distance(int node, int home) const {
    return node == home ? hops_inside_node : topology.hops(trip(node, home));
  }
};

/// What is wrong with a problem, naming the value and what is allowed. O(nodes + seats + entries).
[[nodiscard]] core::Error check_placement(const PlacementProblem& problem);

enum class Seats { aggregators, all };
/// Domains that seats on a node may have. [node]. O(nodes + seats).
[[nodiscard]] std::vector<int> room_of_nodes(const PlacementProblem& problem, Seats which = Seats::all);
/// A seat for every domain on the node that is to serve it, where it has room: the one in order if that is
/// there. O(nodes + seats + domains).
[[nodiscard]] std::vector<int> seats_at(const PlacementProblem& problem,
                                        const std::vector<int>& home_of_domain);

/// Hop-bytes of every domain if an aggregator on node n of the job served it: [n][domain], W = D C in Liu,
/// Zhou & Guo (J. Optimization 2018), 4.3. Rows of nodes without a seat are zero. The distances D are never
/// stored. O(entries * nodes with seats), memory O(nodes * domains).
[[nodiscard]] core::Matrix<std::int64_t> workload(const PlacementProblem& problem);

struct PlacementMeasures {
  /// all
  std::int64_t bytes = 0;
  /// that need no network
  std::int64_t bytes_inside_nodes = 0;
  /// bytes times the links they pass, and times hops_inside_node inside a node
  std::int64_t hop_bytes = 0;
  /// the link that needs longest for its bytes: no exchange takes less
  machine::BusiestLink busiest;
  /// that each aggregator serves
  std::vector<std::int64_t> seat_bytes;
  /// most bytes of a seat by the mean of as many as serve domains in order; 1: even, or no bytes
  double imbalance = 1;
};

/// visit(node, home, bytes): what a node has for all aggregators on node `home`, where there is anything.
/// `seat_of_domain`: aggregator of every domain. O(entries + nodes + domains), memory O(nodes).
template <class Visit>
void for_each_demand(const PlacementProblem& problem, const std::vector<int>& seat_of_domain, Visit&& visit) {
  std::vector<std::int64_t> for_home(problem.nodes.size(), 0);
  std::vector<int> homes;
  for (int node = 0; node < problem.bytes.rows(); ++node) {
    for (const auto [domain, bytes] : problem.bytes.row(node)) {
      const int home = problem.seat_node(seat_of_domain[core::at(domain)]);
      std::int64_t& sum = for_home[core::at(home)];
      if (sum == 0) homes.push_back(home);
      sum += bytes;
    }
    for (const int home : homes) visit(node, home, std::exchange(for_home[core::at(home)], 0));
    homes.clear();
  }
}

/// `seat_of_domain`: aggregator of every domain. O(links + nodes + domains + entries * hops).
[[nodiscard]] PlacementMeasures measure(const PlacementProblem& problem,
                                        const std::vector<int>& seat_of_domain);
/// Computes `measures.imbalance`.
void note_imbalance(const PlacementProblem& problem, PlacementMeasures& measures);

}  // namespace collio::policy
