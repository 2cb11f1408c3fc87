// See packed_extents.hpp.
#include "core/packed_extents.hpp"

#include <algorithm>
#include <bit>

namespace collio::core {

int shift_of(std::uint64_t bits) noexcept {
  return bits == 0 ? 0 : std::min(20, std::countr_zero(bits));
}

const PackedExtents::Checkpoint& PackedExtents::before_stream(std::int64_t stream) const noexcept {
  const auto after = std::upper_bound(index_.begin() + 1, index_.end(), stream,
                                      [](std::int64_t s, const Checkpoint& c) { return s < c.stream; });
  return *(after - 1);
}

const PackedExtents::Checkpoint& PackedExtents::before_offset(std::int64_t offset) const noexcept {
  const auto after = std::upper_bound(index_.begin() + 1, index_.end(), offset,
                                      [](std::int64_t o, const Checkpoint& c) { return o < c.at; });
  return *(after - 1);
}

void PackedBuilder::add(const Run& run) {
  if (run.length == 0 || run.count == 0) return;
  if (run.count > 1 && run.stride == run.length) {
    add_piece({run.offset, run.bytes()});
  } else if (run.count < 3) {
    for (std::int64_t i = 0; i < run.count; ++i)
      add_piece({run.offset + i * run.stride, run.length});
  } else {
    add_piece({run.offset, run.length});
    add_piece({run.offset + run.stride, run.length});
    // The rest either extends what the first two pieces began, or stands for itself.
    const Run rest{run.offset + 2 * run.stride, run.length, run.stride, run.count - 2};
    if (pending_.count >= 2 && pending_.stride == run.stride && pending_.length == run.length) {
      pending_.count += rest.count;
    } else {
      flush();
      pending_ = rest;
    }
  }
}

void PackedBuilder::add_piece(const Extent& piece) {
  Run& p = pending_;
  if (p.count == 0) {
    p = {piece.offset, piece.length, 0, 1};
  } else if (p.count == 1 && piece.offset == p.offset + p.length) {
    p.length += piece.length;
  } else if (p.count == 1 && piece.length == p.length) {
    p.stride = piece.offset - p.offset;
    p.count = 2;
  } else if (p.count >= 2 && piece.length == p.length && piece.offset == p.offset + p.count * p.stride) {
    ++p.count;
  } else {
    if (p.count >= 2 && piece.offset == p.end()) {  // grows the last piece of the run
      const Extent last{p.end() - p.length, p.length + piece.length};
      --p.count;
      flush();
      p = {last.offset, last.length, 0, 1};
      return;
    }
    if (p.count == 2) {  // two pieces are no run: keep the second open
      const Run second{p.offset + p.stride, p.length, 0, 1};
      p.count = 1;
      flush();
      p = second;
      add_piece(piece);
      return;
    }
    flush();
    p = {piece.offset, piece.length, 0, 1};
  }
}

void PackedBuilder::flush() {
  Run& p = pending_;
  if (p.count == 0) return;
  if (p.count == 2) {
    emit({p.offset, p.length, p.length, 1});
    emit({p.offset + p.stride, p.length, p.length, 1});
  } else {
    emit(p);
  }
  p = {};
}

void PackedBuilder::emit(const Run& run) {
  PackedExtents& l = list_;
  const std::int64_t low = std::min(run.offset, run.offset + (run.count - 1) * run.stride);
  const std::int64_t high = std::max(run.offset, run.offset + (run.count - 1) * run.stride) + run.length;
  const bool first = l.items_ == 0;
  const std::int64_t at = first ? 0 : l.index_.back().at;
  if (!first) {
    l.ascending_ = l.ascending_ && run.offset >= l.high_;
    l.low_ = std::min(l.low_, low);
    l.high_ = std::max(l.high_, high);
  } else {
    l.low_ = low;
    l.high_ = high;
    l.index_.push_back({});
  }
  if (run.count > 1 && run.stride < run.length) l.ascending_ = false;
  // The last index entry is always the state before the next item; it stays only on a multiple of 64.
  const std::size_t used = static_cast<std::size_t>(l.index_.back().position);
  if (l.code_.size() < used + packed_item_max_bytes + varint_slack)
    l.code_.resize(std::max<std::size_t>(l.code_.size() * 3 / 2, used + 256));
  PackedWriter writer(l.code_.data() + used, format_, at);
  writer.put(run);
  PackedExtents::Checkpoint next{writer.position() - l.code_.data(), run.end(),
                                 l.index_.back().stream + run.bytes()};
  if (l.items_ % PackedExtents::items_per_checkpoint == 0)
    l.index_.push_back(next);
  else
    l.index_.back() = next;
  ++l.items_;
  l.pieces_ += run.count;
  l.bytes_ += run.bytes();
}

PackedExtents PackedBuilder::finish() {
  flush();
  PackedExtents& l = list_;
  if (l.index_.empty()) l.index_.push_back({});
  l.code_bytes_ = static_cast<std::size_t>(l.index_.back().position);
  if (l.index_.size() > 1) l.index_.pop_back();
  l.code_.resize(l.code_bytes_ + varint_slack);
  l.code_.shrink_to_fit();
  l.index_.shrink_to_fit();
  return std::move(list_);
}

}  // namespace collio::core
