// Jobs at scale for the benchmarks of planning: nodes of 128 ranks, and which bytes they have in which file
// domain.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "machine/machine.hpp"
#include "policy/aggregators/node_bytes.hpp"
#include "policy/plan/plan.hpp"

namespace collio::bench {

enum class Pattern {
  random,    ///< an irregular map: all nodes in all domains, unequal
  equal,     ///< all nodes in all domains, the same
  rows,      ///< blocks of a 2-d array, row by row in the file: a node in the domains of its row of blocks
  blocks,    ///< one part of the file each, a little shifted against the domains
  scattered  ///< an irregular map: each node in 100 domains, unequal
};
inline constexpr const char* pattern_names[] = {"random", "equal", "rows", "blocks", "scattered"};

struct JobSize {
  int nodes = 1, seats = 1;
};

inline machine::Machine machine_of(const JobSize& size) {
  machine::Machine m;
  for (int i = 0; i < size.nodes; ++i)
    m.nodes.edit().push_back({.name = "nid" + std::to_string(i), .ranks = 128, .cores = 128});
  return m;
}

/// Dealt round robin, as aggregators are.
inline std::vector<int> homes_of(const JobSize& size) {
  std::vector<int> homes;
  for (int i = 0; i < size.seats; ++i) homes.push_back(i % size.nodes);
  return homes;
}

using Row = std::vector<policy::DomainBytes>;

inline Row every_domain(int domains, std::mt19937_64& dice, std::int64_t spread) {
  Row row;
  for (int d = 0; d < domains; ++d)
    row.push_back({d, 50000 + static_cast<std::int64_t>(dice() % static_cast<std::uint64_t>(spread))});
  return row;
}

/// Of a 2-d grid: the node's row has domains first to end.
inline Row row_of_grid(const JobSize& size, int node, std::mt19937_64& dice) {
  int side = 1;
  while (side * side < size.nodes) ++side;
  const int in = node / side, end = std::min(size.seats, (in + 1) * size.seats / side);
  Row row;
  for (int d = in * size.seats / side; d < end; ++d)
    row.push_back({d, 100000 + static_cast<std::int64_t>(dice() % 1000)});
  return row;
}

inline Row block(const JobSize& size, int node) {
  const int each = size.seats / size.nodes;
  Row row;
  for (int k = 0; k <= each; ++k)
    if (const int d = node * each + k; d < size.seats)
      row.push_back({d, k == 0 ? 3000000 : k == each ? 1000000 : 4000000});
  return row;
}

inline Row scattered(int domains, std::mt19937_64& dice) {
  std::vector<bool> taken(static_cast<std::size_t>(domains), false);
  Row row;
  for (int i = 0; i < 100; ++i) taken[dice() % taken.size()] = true;
  for (int d = 0; d < domains; ++d)
    if (taken[static_cast<std::size_t>(d)])
      row.push_back({d, static_cast<std::int64_t>(1 + dice() % 1000000)});
  return row;
}

inline Row row_of(Pattern pattern, const JobSize& size, int node, std::mt19937_64& dice) {
  switch (pattern) {
    case Pattern::rows:
      return row_of_grid(size, node, dice);
    case Pattern::blocks:
      return block(size, node);
    case Pattern::scattered:
      return scattered(size.seats, dice);
    case Pattern::equal:
      return every_domain(size.seats, dice, 1);
    case Pattern::random:
      break;
  }
  return every_domain(size.seats, dice, 100000);
}

/// A domain for each seat.
inline policy::NodeBytes bytes_of(Pattern pattern, const JobSize& size) {
  policy::NodeBytes bytes(size.seats);
  std::mt19937_64 dice(1);
  for (int node = 0; node < size.nodes; ++node) bytes.add_row(row_of(pattern, size, node, dice));
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
