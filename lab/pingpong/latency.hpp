// Latency: one message to and fro between two ranks, alone in the network.
#pragma once

#include "flow.hpp"

namespace collio::pingpong {

struct PingPong {
  std::int64_t bytes;
  int times;
};

/// Half of the median time of a message there and back, in seconds, on rank 0; the others sleep. Collective.
[[nodiscard]] double latency_s(const Flow& pair, const PingPong& shape);

}  // namespace collio::pingpong
