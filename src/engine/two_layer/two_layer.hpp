// Ranks hand their pieces over in the node's shared memory; nodes send them to the aggregators.
#pragma once

#include "engine/moving/call.hpp"

namespace collio::engine {

[[nodiscard]] PathResult two_layer_write(CollectiveCall& call);
[[nodiscard]] PathResult two_layer_read(CollectiveCall& call);

}  // namespace collio::engine
