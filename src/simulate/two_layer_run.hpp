// collio's two_layer in virtual time: nodes pass the windows of a call in the order of flow/window_order,
// with its slots; pieces for other nodes wait in transit slots, and each node serves windows from its home
// slots.
#pragma once

#include "simulate/call.hpp"

namespace collio::simulate {

/// `call`: with path two_layer; nodes are not grouped. O(nodes * windows + pairs of a rank and a window).
[[nodiscard]] Outcome run_two_layer(const CallSetting& setting, const PlannedCall& call);

}  // namespace collio::simulate
