// See asked_bytes.hpp.
#include "access/asked_bytes.hpp"

#include <algorithm>

namespace collio::access {

namespace {

void put_pieces(const FileAccess& access, observe::Buckets& into) noexcept {
  core::Cursor cursor(access.pattern);
  cursor.seek_stream(access.begin);
  core::Run run;
  for (std::int64_t left = access.bytes; left > 0 && cursor.next_bytes(left, run); left -= run.bytes())
    for (std::int64_t i = 0; i < run.count; ++i) {
      const std::int64_t offset = run.offset + i * run.stride;
      into.add(offset, offset + run.length);
    }
}

}  // namespace

void put_bytes(const FileAccess& access, observe::Buckets& into) noexcept {
  if (access.bytes == 0) return;
  if (!access.ascending()) return put_pieces(access, into);
  const core::Extent& span = access.span;
  if (span.length == access.bytes) return into.add(span.offset, span.end());
  into.reach(span.end());
  core::Cursor cursor(access.pattern);
  cursor.seek_stream(access.begin);
  const std::int64_t width = into.width(), end = access.begin + access.bytes;
  std::int64_t at = span.offset, before = access.begin;
  for (std::int64_t left = width - at % width; left < span.end() - at; left = width) {
    cursor.seek_offset(at + left);
    const std::int64_t now = cursor.at_end() ? end : std::min(cursor.stream(), end);
    into.add_to(at, now - before);
    before = now;
    at += left;
  }
  into.add_to(at, end - before);
}

}  // namespace collio::access
