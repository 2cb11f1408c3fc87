// Which puts of a declared epoch are written together.
//
// Tessier, Vishwanath & Jeannot (TAPIOCA, CLUSTER 2017) give every declared piece a round, and a round is written
// when its buffers are full. Here puts stand in the order in which programs make them, and a group is a range of
// it: puts whose bytes lie among each other in the file, as those of the members of structs do, and as many more as
// fill the aggregators' buffers. A rank that has made its puts of a group need not wait for the rest of the epoch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace collio::policy {

/// What all ranks together write by their puts of one number: from the first byte in the file to the last one.
struct PutHull {
  std::int64_t begin = 0, end = 0;  ///< begin >= end: nothing
  std::int64_t bytes = 0;
};

/// Ends of the groups, as numbers of puts, ascending; the last is all puts. Puts of different groups have hulls that
/// do not overlap. A group has at least `least_bytes`, unless it is the only one. Pure. O(puts log puts).
[[nodiscard]] std::vector<std::int64_t> group_puts(std::span<const PutHull> puts, std::int64_t least_bytes);

}  // namespace collio::policy
