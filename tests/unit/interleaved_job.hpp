// A job for tests of the simulator.
#pragma once

#include <vector>

#include "simulate/demand.hpp"

namespace collio::test {

/// Ranks write pieces of `size` bytes in turn.
inline simulate::Job interleaved(int ranks, int ranks_per_node, std::int64_t size, std::int64_t pieces) {
  const std::int64_t turn = size * ranks;
  return {ranks, ranks_per_node, {0, turn * pieces}, [=](int rank) {
            return std::vector{core::Pattern::contiguous(rank * size, size).repeated({pieces, turn})};
          }};
}

}  // namespace collio::test
