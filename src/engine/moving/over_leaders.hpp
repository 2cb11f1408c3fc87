// What the nodes' first ranks bring together, along a binomial tree: O(log nodes) steps.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "engine/file/ranks.hpp"

namespace collio::engine {

/// Messages between the first ranks of nodes. Those from one to another arrive in order.
class LeaderMessages {
 public:
  /// This rank's node, and how many there are.
  LeaderMessages(int node, int nodes) : node(node), nodes(nodes) {}
  virtual ~LeaderMessages() = default;
  LeaderMessages(const LeaderMessages&) = delete;
  LeaderMessages& operator=(const LeaderMessages&) = delete;

  virtual void send(std::span<const std::int64_t> numbers, int to_node) const = 0;
  /// At most as many numbers as there is room for.
  virtual void receive(std::span<std::int64_t> numbers, int from_node) const = 0;

  const int node, nodes;
};

/// Those of a call, by MPI.
class LeadersOf final : public LeaderMessages {
 public:
  explicit LeadersOf(const Ranks& ranks);
  void send(std::span<const std::int64_t> numbers, int to_node) const override;
  void receive(std::span<std::int64_t> numbers, int from_node) const override;

 private:
  const Ranks& ranks_;
};

/// Consecutive nodes.
struct NodeRange {
  int first = 0, count = 1;
};
[[nodiscard]] inline NodeRange all_nodes(const LeaderMessages& leaders) noexcept {
  return {0, leaders.nodes};
}

enum class Combine { sums, maxima };
/// Combines the numbers of the nodes' first ranks element by element on the first node's; elsewhere `numbers`
/// is of no use afterwards. Collective among these ranks.
void combine_on_first(const LeaderMessages& leaders, const NodeRange& nodes,
                      std::vector<std::int64_t>& numbers, Combine how);
/// The first node's numbers, on all of them. Collective among the nodes' first ranks.
void numbers_of_first(const LeaderMessages& leaders, const NodeRange& nodes, std::span<std::int64_t> numbers);

}  // namespace collio::engine
