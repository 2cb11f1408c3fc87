// The path without exchange: every rank writes or reads its own pieces.
//
// Right when pieces are long, and for file pieces in no particular order. Adjacent pieces were coalesced by
// the pattern; contiguous memory goes to the file without a copy.
#include <algorithm>
#include <limits>
#include <new>

#include "engine/call/call.hpp"

namespace collio::engine {

using observe::Step;
using observe::Steps;

namespace {

constexpr std::int64_t staging_bytes = 1 << 20;  ///< for memory that is not contiguous, or a device's

/// Calls each(file extent, stream position) for consecutive parts of the access of at most `most` bytes,
/// until it returns false.
template <class Each>
void for_each_part(const access::FileAccess& access, std::int64_t most, Each&& each) {
  core::Cursor cursor(access.pattern);
  cursor.seek_stream(access.begin);
  const std::int64_t end = access.begin + access.bytes;
  core::Run run;
  while (cursor.stream() < end) {
    std::int64_t position = cursor.stream() - access.begin;
    cursor.next_bytes(std::min(most, end - cursor.stream()), run);
    for (std::int64_t i = 0; i < run.count; ++i, run.offset += run.stride, position += run.length)
      if (!each(core::Extent{run.offset, run.length}, position)) return;
  }
}

std::int64_t part_bytes(const Call& call) {
  return call.memory.direct() ? std::numeric_limits<std::int64_t>::max() : staging_bytes;
}

/// What both directions begin with: the file, and staging where the CPU cannot use the memory as it is. Null
/// when there is nothing to do, or when the file cannot be opened, which `moved` then says.
storage::Storage* begin(Call& call, PathResult& moved, transport::Buffer& staging) {
  if (call.access.bytes == 0) return nullptr;
  core::Error why;
  storage::Storage* file = call.file.storage(&why);
  if (!file) moved.note(call.access.span.offset, {0, why});
  if (!file || call.memory.direct()) return file;
  try {
    staging = call.link.pool->take(staging_bytes);
  } catch (const std::bad_alloc&) {
    moved.note(call.access.span.offset, {0, no_memory(call)});
    return nullptr;
  }
  return file;
}

/// Bytes that a device did not give or take, at file offset `offset`. True when there are none.
bool note_device(const Call& call, PathResult& moved, std::int64_t offset) {
  if (call.memory.device()) moved.note(offset, {0, call.memory.failure()});
  return moved.outcome.error == 0;
}

}  // namespace

PathResult independent_write(Call& call) {
  PathResult moved;
  transport::Buffer staging;
  storage::Storage* file = begin(call, moved, staging);
  if (!file) return moved;
  for_each_part(call.access, part_bytes(call), [&](const core::Extent& extent, std::int64_t position) {
    const std::byte* from = staging.data();
    if (staging) {
      Steps::Scope time(call.steps, Step::pack);
      call.memory.gather(position, extent.length, staging.data());
      if (!note_device(call, moved, extent.offset)) return false;
    } else {
      from = call.memory.at(position);
    }
    Steps::Scope time(call.steps, Step::write);
    ++call.counters.pieces;
    moved.note(extent.offset, file->write(extent, from));
    return moved.outcome.error == 0;
  });
  call.link.pool->give_back(std::move(staging));
  return moved;
}

PathResult independent_read(Call& call) {
  PathResult moved;
  transport::Buffer staging;
  storage::Storage* file = begin(call, moved, staging);
  if (!file) return moved;
  for_each_part(call.access, part_bytes(call), [&](const core::Extent& extent, std::int64_t position) {
    storage::Transfer t;
    {
      Steps::Scope time(call.steps, Step::read);
      t = file->read(extent, staging ? staging.data() : call.memory.at(position));
    }
    if (staging) {
      Steps::Scope time(call.steps, Step::pack);
      call.memory.scatter(position, t.bytes, staging.data());
    }
    ++call.counters.pieces;
    moved.bytes += t.bytes;
    moved.note(extent.offset, t);
    if (!note_device(call, moved, extent.offset)) return false;
    // A short read is the end of the file, and of the access unless its pieces are in no particular order.
    return t.error.ok() && (t.bytes == extent.length || !call.access.ascending());
  });
  call.link.pool->give_back(std::move(staging));
  return moved;
}

}  // namespace collio::engine
