// Elects one aggregator for every part of the file among the nodes that have bytes of it (Tessier et al.,
// COM-HPC 2016).
//
// The bytes of a contiguous part come from some nodes, its partition; a node may be in several. In the
// topology-aware election a candidate A costs (4.1 there)
//   C1 = max over i != A of ( l d(i, A) + w(i, A) / B(i -> A) )       to gather, the others hidden behind the
//   slowest C2 = l d(A, IO) + w(A, IO) / (|V_C| B(A -> IO))                    to write, per member so that
//   both are of one size
// and the least C1 + C2 is elected. Parts that follow each other in the file may so end up behind one link to
// storage; the contention-aware election is ours and sees it. l d is the sum of the latencies on the way, B
// the rate of its slowest link.
#pragma once

#include <cstdint>
#include <vector>

#include "core/matrix.hpp"
#include "machine/topology.hpp"
#include "policy/aggregators/node_bytes.hpp"
#include "policy/hints/choices.hpp"

namespace collio::policy {

struct ElectionProblem {
  const machine::Topology& topology;
  /// of the job: network node of each
  std::vector<int> nodes;
  /// of each node of the job, by partition
  NodeBytes bytes;
  /// of each node of the job: the vertex where its storage is; no_vertex: storage counts nothing
  std::vector<int> storage;
};

struct ElectionCost {
  /// C1
  double gather_s = 0;
  /// C2
  double write_s = 0;
  [[nodiscard]] double sum_s() const noexcept { return gather_s + write_s; }
};

/// Of every node of the job as the aggregator of every partition: [node][partition]. O(nodes * (nodes *
/// hops + entries)).
[[nodiscard]] core::Matrix<ElectionCost> election_costs(const ElectionProblem& problem);

/// Ways of bytes to candidates that an election looks at: a few tens of milliseconds.
inline constexpr std::int64_t most_ways_looked_at = 1 << 22;

/// Node of the job for every partition, in their order: at most one partition a node while members are free,
/// then those with fewest; the lower node of equals. Partitions without bytes get the nodes that are left.
/// Where members of all partitions have more than most_ways_looked_at ways to each other, C1 is that of the
/// heaviest members, as many as keep to it. Pure. O(entries log entries + partitions + nodes * hops +
/// most_ways_looked_at * hops); memory O(entries + partitions + nodes + links).
[[nodiscard]] std::vector<int> elect_aggregators(Election election, const ElectionProblem& problem);

}  // namespace collio::policy
