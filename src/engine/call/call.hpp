// One collective call: access, digest, plan, move, agree on the outcome.
#pragma once

#include "engine/moving/call.hpp"

namespace collio::engine {

/// Collective over the file's communicator. Every rank returns, with the same error class.
[[nodiscard]] Completion collective_call(File& file, const CallRequest& request);

}  // namespace collio::engine
