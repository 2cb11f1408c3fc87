// Jobs at scale for the benchmarks of planning: nodes of 128 ranks, and which bytes they have in which file
// domain.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/matrix.hpp"
#include "machine/machine.hpp"
#include "policy/plan/plan.hpp"

namespace collio::bench {

enum class Pattern {
  random,  ///< an irregular map: all nodes in all domains, unequal
  equal,   ///< all nodes in all domains, the same
  rows,    ///< blocks of a 2-d array, row by row in the file: a node in the domains of its row of blocks
  blocks,  ///< one part of the file each, a little shifted against the domains
};
inline constexpr const char* pattern_names[] = {"random", "equal", "rows", "blocks"};

struct JobSize {
  int nodes = 1, seats = 1;
};

inline machine::Machine machine_of(const JobSize& size) {
  machine::Machine m;
  for (int i = 0; i < size.nodes; ++i)
    m.nodes.push_back({.name = "nid" + std::to_string(i), .ranks = 128, .cores = 128});
  return m;
}

/// Dealt round robin, as aggregators are.
inline std::vector<int> homes_of(const JobSize& size) {
  std::vector<int> homes;
  for (int i = 0; i < size.seats; ++i) homes.push_back(i % size.nodes);
  return homes;
}

/// Of a 2-d grid: the node's row has domains first to end.
inline void fill_row(core::Matrix<std::int64_t>& bytes, int node, std::mt19937_64& dice) {
  int side = 1;
  while (side * side < bytes.rows()) ++side;
  const int row = node / side, end = (row + 1) * bytes.columns() / side;
  for (int d = row * bytes.columns() / side; d < end && d < bytes.columns(); ++d)
    bytes(node, d) = 100000 + static_cast<std::int64_t>(dice() % 1000);
}

inline void fill_block(core::Matrix<std::int64_t>& bytes, int node) {
  const int each = bytes.columns() / bytes.rows();
  for (int k = 0; k <= each; ++k)
    if (const int d = node * each + k; d < bytes.columns())
      bytes(node, d) = k == 0 ? 3000000 : k == each ? 1000000 : 4000000;
}

/// [node][domain]: a domain for each seat.
inline core::Matrix<std::int64_t> bytes_of(Pattern pattern, const JobSize& size) {
  core::Matrix<std::int64_t> bytes({size.nodes, size.seats});
  std::mt19937_64 dice(1);
  for (int node = 0; node < size.nodes; ++node) {
    if (pattern == Pattern::rows) fill_row(bytes, node, dice);
    if (pattern == Pattern::blocks) fill_block(bytes, node);
    if (pattern == Pattern::equal)
      for (std::int64_t& b : bytes.row(node)) b = 100000;
    if (pattern == Pattern::random)
      for (std::int64_t& b : bytes.row(node)) b = 50000 + static_cast<std::int64_t>(dice() % 100000);
  }
  return bytes;
}

inline policy::Plan plan_of(const JobSize& size) {
  policy::Plan plan;
  plan.path = policy::Path::two_layer;
  plan.span = {0, std::int64_t{size.seats} << 22};
  plan.domains = policy::cut_evenly({plan.span, size.seats, 4096, 1 << 22});
  return plan;
}

}  // namespace collio::bench
