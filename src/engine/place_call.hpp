// Who serves the file domains of a call, decided by where its bytes are.
#pragma once

#include "engine/file.hpp"

namespace collio::engine {

/// Places the plan's domains (policy/place_domains), where that may pay; the reason says what came of it. `access`: this rank's;
/// `bytes`: of the whole call. Collective. The first rank of every node sends a row of as many numbers as there are domains to
/// rank 0, which decides; everyone learns which aggregator serves which domain.
void place_call(File& file, policy::Plan& plan, const access::FileAccess& access, std::int64_t bytes);

}  // namespace collio::engine
