// See completion.hpp.
#include "engine/call/completion.hpp"

#include <algorithm>

#include "core/cursor.hpp"

namespace collio::engine {

using policy::Direction;

namespace {

/// Bytes of this rank that lie below file offset `limit`: they were moved although the call failed.
std::int64_t bytes_below(const access::FileAccess& access, std::int64_t limit) {
  if (access.bytes == 0 || !access.ascending() || limit <= access.span.offset) return 0;
  core::Cursor cursor(access.pattern);
  cursor.seek_offset(std::min(limit, access.span.end()));
  return std::min(access.bytes, cursor.stream() - access.begin);
}

}  // namespace

Completion completion_of(Direction direction, const access::FileAccess& access, const PathResult& moved) {
  Completion done;
  const auto worst = static_cast<core::ErrorClass>(moved.outcome.error);
  const bool write = direction == Direction::write;
  if (worst == core::ErrorClass::none) {
    done.bytes = write ? access.bytes : moved.bytes;
    return done;
  }
  const std::int64_t intact = bytes_below(access, moved.outcome.intact_below);
  done.bytes = write ? intact : std::min(intact, moved.bytes);
  done.error = {worst, moved.message};
  return done;
}

}  // namespace collio::engine
