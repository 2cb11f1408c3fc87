// Every node sends to every other one at once: what the busiest link makes of it.
#pragma once

#include <cstdint>
#include <vector>

#include "places.hpp"

namespace collio::pingpong {

/// Seconds from the first rank's start to the last one's end, with `bytes` from every node to every other; on
/// rank 0. All ranks must be on one machine, which is where the clock is. Collective.
[[nodiscard]] double all_to_all_s(const std::vector<Place>& places, std::int64_t bytes);

}  // namespace collio::pingpong
