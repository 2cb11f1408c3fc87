// What goes between the nodes of a job, and over the links of its network where that is known.
//
// All of it is sums over flows, kept in one list of numbers: what several ranks have counted adds up number
// by number.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/machine.hpp"

namespace collio::machine {

class NodeTraffic {
 public:
  /// With more nodes there is no matrix, only what each node sends and receives.
  static constexpr std::size_t most_nodes_in_matrix = 64;

  /// Nothing yet. `machine` outlives this. O(nodes, or nodes * nodes with a matrix, + links).
  explicit NodeTraffic(const Machine& machine);

  /// Node numbers are the job's. Bytes within a node are none of the network's. O(hops).
  void add(const Flow& flow);

  /// Everything, as numbers that are summed element by element; of the same length for the same machine.
  [[nodiscard]] std::vector<std::int64_t>& numbers() noexcept { return numbers_; }

  [[nodiscard]] bool has_matrix() const noexcept { return nodes_ <= most_nodes_in_matrix; }
  [[nodiscard]] std::int64_t bytes() const noexcept;
  [[nodiscard]] std::int64_t sent(std::size_t node) const noexcept { return numbers_[node]; }
  [[nodiscard]] std::int64_t received(std::size_t node) const noexcept { return numbers_[nodes_ + node]; }
  /// What is not zero of the matrix, row by row. Where there is one.
  [[nodiscard]] std::vector<Flow> flows() const;
  /// Bytes times links they pass; 0 where the network is unknown.
  [[nodiscard]] std::int64_t hop_bytes() const noexcept { return numbers_.back(); }
  /// Where the network is known.
  [[nodiscard]] BusiestLink busiest() const { return busiest_link(*machine_->network, link_bytes()); }

 private:
  [[nodiscard]] std::size_t matrix_at() const noexcept { return 2 * nodes_; }
  [[nodiscard]] std::size_t links_at() const noexcept {
    return matrix_at() + (has_matrix() ? nodes_ * nodes_ : 0);
  }
  [[nodiscard]] std::span<const std::int64_t> link_bytes() const noexcept;

  const Machine* machine_;
  std::size_t nodes_;
  /// sent by node, received by node, matrix, bytes by link and direction, hop-bytes
  std::vector<std::int64_t> numbers_;
};

}  // namespace collio::machine
