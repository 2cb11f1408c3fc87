// Ranks send their pieces to the aggregators, which access the file.
#pragma once

#include "engine/moving/call.hpp"

namespace collio::engine {

[[nodiscard]] PathResult two_phase_write(Call& call);
[[nodiscard]] PathResult two_phase_read(Call& call);

}  // namespace collio::engine
