// See call.hpp.
#include "engine/moving/call.hpp"

#include <algorithm>

namespace collio::engine {

void PathResult::note(std::int64_t offset, const storage::Transfer& transfer) {
  if (transfer.error.ok()) return;
  outcome.intact_below = std::min(outcome.intact_below, offset + transfer.bytes);
  if (static_cast<std::int64_t>(transfer.error.kind) <= outcome.error) return;
  outcome.error = static_cast<std::int64_t>(transfer.error.kind);
  message = transfer.error.message;
}

core::Error no_memory(const Call& call) {
  return {core::ErrorClass::no_memory, "rank " + std::to_string(call.file.rank) +
                                           " has no memory for the buffers of a call on " + call.file.path};
}

}  // namespace collio::engine
