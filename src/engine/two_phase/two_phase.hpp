// Ranks send their pieces to the aggregators, which access the file.
#pragma once

#include "engine/moving/call.hpp"

namespace collio::engine {

[[nodiscard]] PathResult two_phase_write(CollectiveCall& call);
[[nodiscard]] PathResult two_phase_read(CollectiveCall& call);

}  // namespace collio::engine
