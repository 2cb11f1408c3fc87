// See call.hpp.
#include "engine/moving/call.hpp"

#include <algorithm>

#include "core/cursor.hpp"

namespace collio::engine {

void PathResult::note(std::int64_t offset, const storage::Transfer& transfer) {
  if (transfer.error.ok()) return;
  outcome.intact_below = std::min(outcome.intact_below, offset + transfer.bytes);
  if (static_cast<std::int64_t>(transfer.error.kind) <= outcome.error) return;
  outcome.error = static_cast<std::int64_t>(transfer.error.kind);
  message = transfer.error.message;
}

namespace {

/// Bytes of this rank that lie below file offset `limit`: they were moved although the call failed.
std::int64_t bytes_below(const access::FileAccess& access, std::int64_t limit) {
  if (access.bytes == 0 || !access.ascending() || limit <= access.span.offset) return 0;
  core::Cursor cursor(access.pattern);
  cursor.seek_offset(std::min(limit, access.span.end()));
  return std::min(access.bytes, cursor.stream() - access.begin);
}

}  // namespace

Completion completion_of(policy::Direction direction, const access::FileAccess& access,
                         const PathResult& moved) {
  Completion done;
  const auto worst = static_cast<core::ErrorClass>(moved.outcome.error);
  const bool write = direction == policy::Direction::write;
  if (worst == core::ErrorClass::none) {
    done.bytes = write ? access.bytes : moved.bytes;
    return done;
  }
  const std::int64_t intact = bytes_below(access, moved.outcome.intact_below);
  done.bytes = write ? intact : std::min(intact, moved.bytes);
  done.error = {worst, moved.message};
  return done;
}

core::Error no_memory(const Call& call) {
  return {core::ErrorClass::no_memory, "rank " + std::to_string(call.file.rank) +
                                           " has no memory for the buffers of a call on " + call.file.path};
}

}  // namespace collio::engine
