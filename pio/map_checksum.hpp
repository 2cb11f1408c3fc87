/// The checksum of a rank's map in a file. It differs after a change of any single number that it is made of.
#pragma once

#include <cstdint>
#include <vector>

#include "pio.h"

namespace collio::pio {

/// What the maps of a file have together.
struct MapHead {
  int ranks = 0;
  /// of the array, in the program's order
  std::vector<int> lengths;
};

/// Different hashes, and different values, give different hashes.
constexpr std::uint64_t checksum_step(std::uint64_t hash, long long value) noexcept {
  hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 32);
}

/// `map`: from 1 on, 0 for holes.
[[nodiscard]] inline std::uint64_t map_checksum(const MapHead& head, int rank, long long count,
                                                const PIO_Offset* map) noexcept {
  std::uint64_t hash = 0;
  for (const int length : head.lengths) hash = checksum_step(hash, length);
  for (const long long value : {static_cast<long long>(head.ranks), static_cast<long long>(rank), count})
    hash = checksum_step(hash, value);
  for (long long i = 0; i < count; ++i) hash = checksum_step(hash, map[i]);
  return hash;
}

}  // namespace collio::pio
