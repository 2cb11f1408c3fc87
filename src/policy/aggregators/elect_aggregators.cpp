// See elect_aggregators.hpp.
#include "policy/aggregators/elect_aggregators.hpp"

#include <algorithm>
#include <utility>

#include "core/index.hpp"

namespace collio::policy {

namespace {

using core::at;

/// Of each partition.
struct Partitions {
  std::vector<int> members;
  std::vector<double> bytes;
};

Partitions sums_of(const core::Matrix<std::int64_t>& bytes) {
  Partitions sums{std::vector<int>(at(bytes.columns()), 0), std::vector<double>(at(bytes.columns()), 0)};
  for (int node = 0; node < bytes.rows(); ++node)
    for (int p = 0; p < bytes.columns(); ++p) {
      sums.members[at(p)] += bytes(node, p) > 0;
      sums.bytes[at(p)] += static_cast<double>(bytes(node, p));
    }
  return sums;
}

machine::Reach reach_storage(const ElectionProblem& problem, int node) {
  const int storage = problem.storage[at(node)];
  return storage == machine::no_vertex ? machine::Reach{}
                                       : reach(problem.topology, {problem.nodes[at(node)], storage});
}

/// What the aggregators elected so far put on the links to storage.
class StorageWays {
 public:
  explicit StorageWays(const ElectionProblem& problem)
      : problem_(problem), bytes_(2 * at(problem.topology.links()), 0) {}

  /// C2 of a node, where its partition's bytes wait for those on the same links.
  [[nodiscard]] double write_s(int node, const Partitions& sums, int p) const {
    double latency_s = 0, most_s = 0;
    visit(node, [&](const machine::Hop& hop) {
      const machine::Cable cable = problem_.topology.cable(hop.link);
      latency_s += cable.latency_s;
      most_s = std::max(most_s, (bytes_[hop.index()] + sums.bytes[at(p)]) / cable.rate_bytes_per_s);
    });
    return latency_s + most_s / std::max(sums.members[at(p)], 1);
  }
  void add(int node, double bytes) {
    visit(node, [&](const machine::Hop& hop) { bytes_[hop.index()] += bytes; });
  }

 private:
  template <class Visit>
  void visit(int node, Visit&& each) const {
    if (const int storage = problem_.storage[at(node)]; storage != machine::no_vertex)
      problem_.topology.route({problem_.nodes[at(node)], storage}, each);
  }

  const ElectionProblem& problem_;
  std::vector<double> bytes_;  ///< [hop]
};

/// [node][partition]: what the policy wants least of; without C2 where that depends on the nodes elected
/// before.
core::Matrix<double> scores_of(Election election, const ElectionProblem& problem) {
  core::Matrix<double> scores({problem.bytes.rows(), problem.bytes.columns()});
  if (election == Election::topology_aware) {
    const core::Matrix<ElectionCost> costs = election_costs(problem);
    for (std::size_t i = 0; i < costs.values().size(); ++i) scores.values()[i] = costs.values()[i].sum_s();
  } else if (election == Election::contention_aware) {
    const core::Matrix<ElectionCost> costs = election_costs(problem);
    for (std::size_t i = 0; i < costs.values().size(); ++i) scores.values()[i] = costs.values()[i].gather_s;
  } else if (election != Election::greedy) {
    const double sign = election == Election::longest_path ? -1 : 1;
    for (int node = 0; node < scores.rows(); ++node) {
      const auto row = scores.row(node);
      std::fill(row.begin(), row.end(), sign * reach_storage(problem, node).hops);
    }
  }
  return scores;
}

}  // namespace

core::Matrix<ElectionCost> election_costs(const ElectionProblem& problem) {
  const core::Matrix<std::int64_t>& bytes = problem.bytes;
  const Partitions sums = sums_of(bytes);
  core::Matrix<ElectionCost> costs({bytes.rows(), bytes.columns()});
  for (int candidate = 0; candidate < bytes.rows(); ++candidate) {
    const auto row = costs.row(candidate);
    for (int node = 0; node < bytes.rows(); ++node) {
      if (node == candidate) continue;
      const machine::Reach way =
          reach(problem.topology, {problem.nodes[at(node)], problem.nodes[at(candidate)]});
      for (int p = 0; p < bytes.columns(); ++p)
        if (const std::int64_t piece = bytes(node, p); piece > 0)
          row[at(p)].gather_s = std::max(row[at(p)].gather_s, way.transfer_s(static_cast<double>(piece)));
    }
    const machine::Reach way = reach_storage(problem, candidate);
    for (int p = 0; p < bytes.columns(); ++p)
      row[at(p)].write_s = way.transfer_s(sums.bytes[at(p)] / std::max(sums.members[at(p)], 1));
  }
  return costs;
}

std::vector<int> elect_aggregators(Election election, const ElectionProblem& problem) {
  const core::Matrix<std::int64_t>& bytes = problem.bytes;
  const core::Matrix<double> scores = scores_of(election, problem);
  const Partitions sums = sums_of(bytes);
  StorageWays ways(problem);
  std::vector<int> elected, served(at(bytes.rows()), 0);
  for (int p = 0; p < bytes.columns(); ++p) {
    int best = -1;
    std::pair<int, double> least;
    for (int node = 0; node < bytes.rows(); ++node) {
      if (sums.members[at(p)] > 0 && bytes(node, p) == 0) continue;
      const double waits_s = election == Election::contention_aware ? ways.write_s(node, sums, p) : 0;
      if (const std::pair key(served[at(node)], scores(node, p) + waits_s); best < 0 || key < least)
        best = node, least = key;
    }
    ++served[at(best)];
    ways.add(best, sums.bytes[at(p)]);
    elected.push_back(best);
  }
  return elected;
}

}  // namespace collio::policy
