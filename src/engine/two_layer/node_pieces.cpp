// See node_pieces.hpp.
#include "engine/two_layer/node_pieces.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <new>
#include <optional>

#include "core/batch.hpp"
#include "engine/two_layer/packed_parts.hpp"
#include "transport/messages/message.hpp"

namespace collio::engine {

using observe::Step;
using observe::Steps;

namespace {

/// stays in cache
constexpr std::size_t staging_bytes = 64 << 10;
/// each copy from or to a device costs some microseconds
constexpr std::size_t device_staging_bytes = 1 << 20;
constexpr std::size_t batch_size = 128;
using Batch = std::array<core::Run, batch_size>;

}  // namespace

NodePieces::NodePieces(CollectiveCall& call)
    : call_(call), slots_(call.buffers.slots()), cursor_(call.access.pattern) {
  if (call.memory.direct()) return;
  try {
    const std::size_t bytes = call.memory.device() ? device_staging_bytes : staging_bytes;
    buffer_ = call.link.pool->take(bytes);
    staging_ = {buffer_.data(), bytes};
  } catch (const std::bad_alloc&) {
    staging_ = spare_;
  }
}

NodePieces::~NodePieces() { call_.link.pool->give_back(std::move(buffer_)); }

std::int64_t NodePieces::next_staged() const noexcept {
  return std::min(static_cast<std::int64_t>(staging_.size()), bytes_left());
}

bool NodePieces::seek(const NodeWindow& window) noexcept {
  if (call_.access.bytes == 0) return false;
  const core::Extent& mine = call_.access.span;
  limit_ = std::min(window.extent.end(), mine.end());
  if (window.extent.offset >= mine.end()) return false;
  cursor_.seek_offset(std::max(window.extent.offset, mine.offset));
  return !cursor_.at_end() && cursor_.offset() < limit_;
}

std::int64_t NodePieces::bytes_left() const noexcept {
  core::Cursor ahead = cursor_;
  ahead.seek_offset(limit_);
  return ahead.stream() - cursor_.stream();
}

void NodePieces::note(Sums& sums, std::span<const core::Run> runs, core::MaskWriter* mask) {
  if (call_.plan.tiled)
    for (const core::Run& run : runs) sums.sum.bytes += run.bytes();
  else
    sums.sum.add(core::tiling_sum(runs));
  sums.end = runs.back().end();
  for (const core::Run& run : runs) call_.counters.pieces += run.count;
  if (mask) mask->add(runs);
}

void NodePieces::place(const NodeWindow& window, bool in_mask) {
  Steps::Scope time(call_.steps, Step::place);
  const std::int64_t begin = cursor_.offset();
  std::byte* base = slots_.memory.data(window.slot) - window.extent.offset;
  std::optional<core::MaskWriter> mask;
  if (in_mask) mask.emplace(slots_.memory.mask(window.slot), window.extent.offset);
  Sums sums;
  if (!staging_.empty())
    place_staged(sums, base, mask ? &*mask : nullptr);
  else
    place_direct(sums, base, mask ? &*mask : nullptr);
  slots_.books.contribute(window.slot, sums.sum, {begin, sums.end - begin});
}

void NodePieces::place_direct(Sums& sums, std::byte* base, core::MaskWriter* mask) {
  const std::byte* from = call_.memory.at(cursor_.stream() - call_.access.begin);
  Batch batch;
  while (const std::size_t n = cursor_.next_batch(limit_, batch)) {
    const std::span runs = std::span(batch).first(n);
    from = core::scatter_runs(base, runs, from);
    note(sums, runs, mask);
  }
}

void NodePieces::place_staged(Sums& sums, std::byte* base, core::MaskWriter* mask) {
  while (!cursor_.at_end() && cursor_.offset() < limit_) {
    std::int64_t left = next_staged();
    call_.memory.gather(cursor_.stream() - call_.access.begin, left, staging_.data());
    const std::byte* from = staging_.data();
    for (core::Run run; left > 0; left -= run.bytes()) {
      cursor_.next_bytes(left, run);
      from = core::scatter_runs(base, {&run, 1}, from);
      note(sums, {&run, 1}, mask);
    }
  }
}

void NodePieces::note_wanted(Sums& sums, std::span<const core::Run> runs) {
  for (const core::Run& run : runs) sums.sum.bytes += run.bytes();
  sums.end = runs.back().end();
}

bool NodePieces::list(std::span<std::byte> room, std::int64_t origin, transport::PartHead& head, Sums& sums) {
  std::array<std::uint8_t, batch_size * core::packed_item_max_bytes> code;
  Batch batch;
  std::size_t used = 0;
  std::int64_t at = origin;
  while (const std::size_t n = cursor_.next_batch(limit_, batch)) {
    core::PackedWriter writer(code.data(), {call_.plan.mask_shift, false}, at);
    for (std::size_t i = 0; i < n; ++i) writer.put(batch[i]);
    const auto bytes = static_cast<std::size_t>(writer.position() - code.data());
    if (used + bytes > room.size()) return false;
    std::memcpy(room.data() + used, code.data(), bytes);
    used += bytes;
    at = writer.at();
    head.items += static_cast<std::int32_t>(n);
    const std::span runs = std::span(batch).first(n);
    if (call_.plan.direction == policy::Direction::write) {
      note(sums, runs, nullptr);
    } else {
      note_wanted(sums, runs);
      for (const core::Run& run : runs) call_.counters.pieces += run.count;
    }
  }
  head.list_bytes = static_cast<std::int32_t>(used);
  return true;
}

std::int64_t NodePieces::pack(const NodeWindow& window, bool with_data) {
  Steps::Scope time(call_.steps, Step::pack);
  const std::int64_t begin = cursor_.offset(), stream = cursor_.stream() - call_.access.begin;
  const std::int64_t bytes = bytes_left(),
                     room = packed_room(call_, cursor_.stream(), cursor_.stream() + bytes);
  const std::int64_t at = slots_.books.take_room(window.slot, room);
  assert(at + room <= window.room_bytes);  // all ranks have counted what they need
  std::byte* const part = slots_.memory.data(window.slot) + at;
  PackedPart head{.room = room, .head = {}};
  Sums sums;
  const std::span between(part + sizeof head, static_cast<std::size_t>(room - bytes) - sizeof head);
  if (list(between, window.extent.offset, head.head, sums)) {
    head.head.data_bytes = static_cast<std::int32_t>(bytes);
    head.head.answer_at =
        static_cast<std::int32_t>(slots_.books.contribute(window.slot, sums.sum, {begin, sums.end - begin}));
    if (with_data) call_.memory.gather(stream, bytes, part + room - bytes);
  } else {
    head.head = {};
    call_.link.leave_out();
  }
  std::memcpy(part, &head, sizeof head);
  return head.head.answer_at;
}

void NodePieces::mark(const NodeWindow& window) {
  Steps::Scope time(call_.steps, Step::pack);
  const std::int64_t begin = cursor_.offset();
  core::MaskWriter mask(slots_.memory.mask(window.slot), window.extent.offset);
  Sums sums;
  Batch batch;
  while (const std::size_t n = cursor_.next_batch(limit_, batch)) {
    const std::span runs = std::span(batch).first(n);
    mask.add(runs);
    note_wanted(sums, runs);
  }
  slots_.books.contribute(window.slot, sums.sum, {begin, sums.end - begin});
}

std::int64_t NodePieces::collect(const NodeWindow& window, std::int64_t end_of_file) {
  Steps::Scope time(call_.steps, Step::place);
  limit_ = std::min(limit_, end_of_file);
  const std::byte* base = slots_.memory.data(window.slot) - window.extent.offset;
  const std::int64_t before = cursor_.stream();
  if (!staging_.empty())
    collect_staged(base);
  else
    collect_direct(base);
  return cursor_.stream() - before;
}

std::int64_t NodePieces::collect_packed(const NodeWindow& window, std::int64_t end_of_file) {
  Steps::Scope time(call_.steps, Step::place);
  limit_ = std::min(limit_, end_of_file);
  if (limit_ <= cursor_.offset()) return 0;
  const std::int64_t bytes = bytes_left();
  call_.memory.scatter(cursor_.stream() - call_.access.begin, bytes,
                       slots_.memory.data(window.slot) + window.answer_at);
  return bytes;
}

void NodePieces::collect_direct(const std::byte* base) {
  std::byte* to = call_.memory.at(cursor_.stream() - call_.access.begin);
  Batch batch;
  while (const std::size_t n = cursor_.next_batch(limit_, batch)) {
    to = core::gather_runs(to, base, std::span(batch).first(n));
    for (std::size_t i = 0; i < n; ++i) call_.counters.pieces += batch[i].count;
  }
}

void NodePieces::collect_staged(const std::byte* base) {
  while (!cursor_.at_end() && cursor_.offset() < limit_) {
    const std::int64_t begin = cursor_.stream() - call_.access.begin;
    const std::int64_t bytes = next_staged();
    std::byte* to = staging_.data();
    std::int64_t left = bytes;
    for (core::Run run; left > 0; left -= run.bytes()) {
      cursor_.next_bytes(left, run);
      to = core::gather_runs(to, base, {&run, 1});
      call_.counters.pieces += run.count;
    }
    call_.memory.scatter(begin, bytes, staging_.data());
  }
}

}  // namespace collio::engine
