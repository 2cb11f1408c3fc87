// Which puts of a declared epoch one collective call writes.
//
// Tessier, Vishwanath & Jeannot (TAPIOCA, CLUSTER 2017) give every declared piece a round, and write a round
// when its buffers are full. Here programs make puts in the declared order, and a group is a range of these:
// puts whose bytes interleave in the file, as members of structs do, and further ones until the group fills
// the aggregators' buffers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace collio::policy {

/// What all ranks write by their puts of one number, from the first byte in the file to the last.
struct PutHull {
  /// begin >= end: nothing
  std::int64_t begin = 0, end = 0;
  std::int64_t bytes = 0;
};

struct GroupLimits {
  std::int64_t least_bytes = 1;
  std::int64_t most_puts = 1;
};

/// For each group the number behind its last put, ascending. Hulls of different groups do not overlap. A
/// group ends at the first put that gives it `least_bytes`, or before it would have more than `most_puts`;
/// overlapping hulls come first. Pure. O(puts log puts).
[[nodiscard]] std::vector<std::int64_t> group_puts(std::span<const PutHull> puts, const GroupLimits& limits);

}  // namespace collio::policy
