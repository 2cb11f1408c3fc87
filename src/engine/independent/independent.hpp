// Each rank accesses the file itself.
#pragma once

#include "engine/moving/call.hpp"

namespace collio::engine {

[[nodiscard]] PathResult independent_write(Call& call);
[[nodiscard]] PathResult independent_read(Call& call);

}  // namespace collio::engine
