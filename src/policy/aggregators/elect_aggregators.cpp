// See elect_aggregators.hpp.
#include "policy/aggregators/elect_aggregators.hpp"

#include <algorithm>
#include <utility>

#include "core/index.hpp"

namespace collio::policy {

namespace {

using core::at;

double sum_of(std::span<const DomainBytes> members) {
  double bytes = 0;
  for (const DomainBytes& member : members) bytes += static_cast<double>(member.bytes);
  return bytes;
}

machine::Reach reach_storage(const ElectionProblem& problem, int node) {
  const int storage = problem.storage[at(node)];
  return storage == machine::no_vertex ? machine::Reach{}
                                       : reach(problem.topology, {problem.nodes[at(node)], storage});
}

/// What the aggregators elected so far put on the links to storage.
class StorageWays {
 public:
  /// O(nodes * hops), memory too.
  explicit StorageWays(const ElectionProblem& problem) : bytes_(2 * at(problem.topology.links()), 0) {
    for (std::size_t node = 0; node < problem.nodes.size(); ++node) {
      double latency_s = 0;
      if (problem.storage[node] != machine::no_vertex)
        problem.topology.route({problem.nodes[node], problem.storage[node]}, [&](const machine::Hop& hop) {
          const machine::Cable cable = problem.topology.cable(hop.link);
          latency_s += cable.latency_s;
          hops_.push_back({hop.index(), cable.rate_bytes_per_s});
        });
      latencies_s_.push_back(latency_s);
      begins_.push_back(hops_.size());
    }
  }

  /// C2 of a node, where its partition's bytes wait for those on the same links.
  [[nodiscard]] double write_s(int node, double bytes, double members) const {
    double most_s = 0;
    for (const Way& hop : way(node))
      most_s = std::max(most_s, (bytes_[hop.index] + bytes) / hop.rate_bytes_per_s);
    return latencies_s_[at(node)] + most_s / members;
  }
  void add(int node, double bytes) {
    for (const Way& hop : way(node)) bytes_[hop.index] += bytes;
  }

 private:
  struct Way {
    std::size_t index = 0;
    double rate_bytes_per_s = 0;
  };
  [[nodiscard]] std::span<const Way> way(int node) const {
    return std::span(hops_).subspan(begins_[at(node)], begins_[at(node) + 1] - begins_[at(node)]);
  }

  /// of all nodes' ways, one after the other
  std::vector<Way> hops_;
  std::vector<std::size_t> begins_{0};
  /// [node]
  std::vector<double> latencies_s_;
  /// [hop]
  std::vector<double> bytes_;
};

/// Elects for one partition after the other.
class Voting {
 public:
  Voting(Election election, const ElectionProblem& problem)
      : election_(election),
        problem_(problem),
        ways_(problem),
        served_(problem.nodes.size(), 0),
        most_heavy_(at(std::max<std::int64_t>(
            1, most_ways_looked_at / static_cast<std::int64_t>(problem.bytes.entries() + 1)))) {
    for (int node = 0; node < static_cast<int>(problem.nodes.size()); ++node)
      to_storage_.push_back(reach_storage(problem, node));
  }

  /// `members`: at least one.
  int elect(std::span<const DomainBytes> members) {
    bytes_ = sum_of(members);
    members_ = static_cast<double>(std::max<std::size_t>(members.size(), 1));
    note_heavy(members);
    best_ = -1;
    int fewest = served_[at(members.front().domain)];
    for (const DomainBytes& member : members) fewest = std::min(fewest, served_[at(member.domain)]);
    // The heaviest first: it leaves most others no chance soon.
    for (const DomainBytes& member : heavy_) consider(static_cast<int>(member.domain), fewest);
    for (const DomainBytes& member : members) consider(static_cast<int>(member.domain), fewest);
    ++served_[at(best_)];
    ways_.add(best_, bytes_);
    return best_;
  }

  /// Gives parts without a member, -1, the nodes that serve fewest. O(nodes + parts).
  void deal_rest(std::vector<int>& elected) {
    auto part = std::ranges::find(elected, -1);
    while (part != elected.end()) {
      const int fewest = *std::ranges::min_element(served_);
      for (int node = 0; node < static_cast<int>(served_.size()) && part != elected.end(); ++node) {
        if (served_[at(node)] != fewest) continue;
        ++served_[at(node)];
        *part = node;
        part = std::find(part, elected.end(), -1);
      }
    }
  }

 private:
  [[nodiscard]] bool gathers() const noexcept {
    return election_ == Election::topology_aware || election_ == Election::contention_aware;
  }

  void note_heavy(std::span<const DomainBytes> members) {
    heavy_.clear();
    if (!gathers()) return;
    heavy_.assign(members.begin(), members.end());
    const auto end = heavy_.begin() + static_cast<std::ptrdiff_t>(std::min(heavy_.size(), most_heavy_));
    std::partial_sort(heavy_.begin(), end, heavy_.end(), [](const DomainBytes& a, const DomainBytes& b) {
      return a.bytes != b.bytes ? a.bytes > b.bytes : a.domain < b.domain;
    });
    heavy_.erase(end, heavy_.end());
  }

  /// What a node costs apart from C1.
  [[nodiscard]] double base(int node) const {
    switch (election_) {
      case Election::topology_aware:
        return to_storage_[at(node)].transfer_s(bytes_ / members_);
      case Election::contention_aware:
        return ways_.write_s(node, bytes_, members_);
      case Election::shortest_path:
        return to_storage_[at(node)].hops;
      case Election::longest_path:
        return -to_storage_[at(node)].hops;
      case Election::greedy:
        break;
    }
    return 0;
  }

  [[nodiscard]] bool loses(int node, double cost) const noexcept {
    return best_ >= 0 && (cost > least_ || (cost == least_ && node >= best_));
  }

  void consider(int node, int fewest) {
    if (served_[at(node)] != fewest) return;
    const double least_cost = base(node);
    double gather_s = 0;
    if (loses(node, least_cost)) return;
    for (const DomainBytes& member : heavy_) {
      if (member.domain == node) continue;
      const machine::Reach way =
          reach(problem_.topology, {problem_.nodes[at(member.domain)], problem_.nodes[at(node)]});
      gather_s = std::max(gather_s, way.transfer_s(static_cast<double>(member.bytes)));
      if (loses(node, gather_s + least_cost)) return;
    }
    best_ = node, least_ = gather_s + least_cost;
  }

  Election election_;
  const ElectionProblem& problem_;
  StorageWays ways_;
  /// [node]
  std::vector<machine::Reach> to_storage_;
  /// [node]: partitions
  std::vector<int> served_;
  std::size_t most_heavy_;
  /// of the partition
  double bytes_ = 0, members_ = 1;
  /// its members that C1 looks at, most bytes first
  std::vector<DomainBytes> heavy_;
  int best_ = -1;
  /// cost of the best
  double least_ = 0;
};

}  // namespace

core::Matrix<ElectionCost> election_costs(const ElectionProblem& problem) {
  const NodeBytes& bytes = problem.bytes;
  const NodeBytes by_partition = bytes.transposed();
  core::Matrix<ElectionCost> costs({bytes.rows(), bytes.columns()});
  for (int candidate = 0; candidate < bytes.rows(); ++candidate) {
    const auto row = costs.row(candidate);
    for (int node = 0; node < bytes.rows(); ++node) {
      if (node == candidate) continue;
      const machine::Reach way =
          reach(problem.topology, {problem.nodes[at(node)], problem.nodes[at(candidate)]});
      for (const auto [p, piece] : bytes.row(node))
        row[at(p)].gather_s = std::max(row[at(p)].gather_s, way.transfer_s(static_cast<double>(piece)));
    }
    const machine::Reach way = reach_storage(problem, candidate);
    for (int p = 0; p < bytes.columns(); ++p) {
      const auto members = by_partition.row(p);
      row[at(p)].write_s =
          way.transfer_s(sum_of(members) / static_cast<double>(std::max<std::size_t>(members.size(), 1)));
    }
  }
  return costs;
}

std::vector<int> elect_aggregators(Election election, const ElectionProblem& problem) {
  const NodeBytes by_partition = problem.bytes.transposed();
  Voting voting(election, problem);
  std::vector<int> elected(at(by_partition.rows()), -1);
  for (int p = 0; p < by_partition.rows(); ++p)
    if (const auto members = by_partition.row(p); !members.empty()) elected[at(p)] = voting.elect(members);
  voting.deal_rest(elected);
  return elected;
}

}  // namespace collio::policy
