// See elect_aggregators.hpp.
#include "policy/elect_aggregators.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace collio::policy {

namespace {

constexpr std::array<std::string_view, 4> names{"greedy", "shortest_path", "longest_path", "topology_aware"};

std::size_t at(int i) { return static_cast<std::size_t>(i); }

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
  return storage == machine::no_vertex ? machine::Reach{} : reach(problem.topology, {problem.nodes[at(node)], storage});
}

/// [node][partition]: what the policy wants least of.
core::Matrix<double> scores_of(Election election, const ElectionProblem& problem) {
  core::Matrix<double> scores({problem.bytes.rows(), problem.bytes.columns()});
  if (election == Election::topology_aware) {
    const core::Matrix<ElectionCost> costs = election_costs(problem);
    for (std::size_t i = 0; i < costs.values().size(); ++i) scores.values()[i] = costs.values()[i].sum_s();
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

std::string_view name_of(Election election) noexcept { return names[static_cast<std::size_t>(election)]; }

std::optional<Election> election_named(std::string_view name) noexcept {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<Election>(i);
  return std::nullopt;
}

core::Matrix<ElectionCost> election_costs(const ElectionProblem& problem) {
  const core::Matrix<std::int64_t>& bytes = problem.bytes;
  const Partitions sums = sums_of(bytes);
  core::Matrix<ElectionCost> costs({bytes.rows(), bytes.columns()});
  for (int candidate = 0; candidate < bytes.rows(); ++candidate) {
    const auto row = costs.row(candidate);
    for (int node = 0; node < bytes.rows(); ++node) {
      if (node == candidate) continue;
      const machine::Reach way = reach(problem.topology, {problem.nodes[at(node)], problem.nodes[at(candidate)]});
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
  const std::vector<int> members = sums_of(bytes).members;
  std::vector<int> elected, served(at(bytes.rows()), 0);
  for (int p = 0; p < bytes.columns(); ++p) {
    int best = -1;
    const auto key = [&](int node) { return std::pair(served[at(node)], scores(node, p)); };
    for (int node = 0; node < bytes.rows(); ++node)
      if ((members[at(p)] == 0 || bytes(node, p) > 0) && (best < 0 || key(node) < key(best))) best = node;
    ++served[at(best)];
    elected.push_back(best);
  }
  return elected;
}

}  // namespace collio::policy
