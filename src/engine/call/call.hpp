// One collective call: access, digest, plan, move, agree on the outcome.
#pragma once

#include "engine/call/completion.hpp"
#include "engine/moving/call_request.hpp"

namespace collio::engine {

/// Collective over the file's communicator. Every rank returns, with the same error class.
[[nodiscard]] Completion collective_call(File& file, const CallRequest& request);

/// The same in atomic mode: each rank by its own call. Collective.
[[nodiscard]] Completion atomic_call(File& file, const CallRequest& request);

/// One rank's own call. Not collective.
[[nodiscard]] Completion independent_call(File& file, const CallRequest& request);

}  // namespace collio::engine
