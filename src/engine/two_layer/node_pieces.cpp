// See node_pieces.hpp.
#include "engine/two_layer/node_pieces.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <optional>

#include "core/batch.hpp"
#include "transport/messages/message.hpp"

namespace collio::engine {

using observe::Step;
using observe::Steps;

namespace {

constexpr std::size_t staging_bytes = 64 << 10;  ///< stays in cache
constexpr std::size_t device_staging_bytes =
    1 << 20;  ///< each copy from or to a device costs some microseconds
constexpr std::size_t batch_size = 128;
using Batch = std::array<core::Run, batch_size>;

}  // namespace

NodePieces::NodePieces(Call& call) : call_(call), slots_(*call.file.slots), cursor_(call.access.pattern) {
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
  std::byte* base = slots_.data(window.slot) - window.extent.offset;
  std::optional<core::MaskWriter> mask;
  if (in_mask) mask.emplace(slots_.mask(window.slot), window.extent.offset);
  Sums sums;
  if (!staging_.empty())
    place_staged(sums, base, mask ? &*mask : nullptr);
  else
    place_direct(sums, base, mask ? &*mask : nullptr);
  slots_.contribute(window.slot, sums.sum, {begin, sums.end - begin});
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

void NodePieces::mark(const NodeWindow& window) {
  Steps::Scope time(call_.steps, Step::pack);
  const std::int64_t begin = cursor_.offset();
  core::MaskWriter mask(slots_.mask(window.slot), window.extent.offset);
  Sums sums;
  Batch batch;
  while (const std::size_t n = cursor_.next_batch(limit_, batch)) {
    const std::span runs = std::span(batch).first(n);
    mask.add(runs);
    for (const core::Run& run : runs) sums.sum.bytes += run.bytes();
    sums.end = batch[n - 1].end();
  }
  slots_.contribute(window.slot, sums.sum, {begin, sums.end - begin});
}

std::int64_t NodePieces::collect(const NodeWindow& window, std::int64_t end_of_file) {
  Steps::Scope time(call_.steps, Step::place);
  limit_ = std::min(limit_, end_of_file);
  const std::byte* base = slots_.data(window.slot) - window.extent.offset;
  const std::int64_t before = cursor_.stream();
  if (!staging_.empty())
    collect_staged(base);
  else
    collect_direct(base);
  return cursor_.stream() - before;
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
