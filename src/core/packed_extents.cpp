// See packed_extents.hpp.
#include "core/packed_extents.hpp"

#include "core/content_hash.hpp"

#include <algorithm>
#include <bit>

namespace collio::core {

int shift_of(std::uint64_t bits) noexcept { return bits == 0 ? 0 : std::min(20, std::countr_zero(bits)); }

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

void PackedExtents::set_hash() noexcept {
  hash_ = hash_step(content_hash(code()),
                    static_cast<std::uint64_t>(format_.shift) * 2 + (format_.any_order ? 1 : 0));
}

PackedExtents PackedExtents::of(const Extent& piece) {
  PackedExtents list;
  const auto bits = static_cast<std::uint64_t>(piece.offset | piece.length);
  list.format_ = {.shift = shift_of(bits), .any_order = piece.offset < 0};
  list.code_.resize(packed_item_max_bytes + varint_slack);
  PackedWriter writer(list.code_.data(), list.format_, 0);
  writer.put({piece.offset, piece.length, 0, 1});
  list.code_bytes_ = static_cast<std::size_t>(writer.position() - list.code_.data());
  list.code_.resize(list.code_bytes_ + varint_slack);
  list.index_.assign(1, {});
  list.items_ = list.pieces_ = 1;
  list.bytes_ = piece.length;
  list.low_ = piece.offset;
  list.high_ = piece.end();
  list.set_hash();
  return list;
}

void PackedBuilder::add(const Run& run) {
  if (run.length == 0 || run.count == 0) return;
  if (run.count == 1) {
    add(Extent{run.offset, run.length});
  } else if (run.stride == run.length) {
    add_piece({run.offset, run.bytes()});
  } else if (run.count < 3) {
    for (std::int64_t i = 0; i < run.count; ++i) add_piece({run.offset + i * run.stride, run.length});
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

// Everything the loops of the next two touch is local: stores to the code may alias members.

/// A block of pieces in order of offset. Of irregular lists this is nearly all the work.
std::uint8_t* PackedBuilder::encode_pieces(std::uint8_t* out) noexcept {
  const int shift = format_.shift;
  const std::size_t items = block_items_;
  std::int64_t at = at_, bytes = 0;
  for (std::size_t i = 0; i < items; ++i) {
    const std::int64_t offset = block_[i].offset, length = block_[i].length;
    out = put_any_varint(out, static_cast<std::uint64_t>(offset - at) >> shift);
    out = put_any_varint(out, static_cast<std::uint64_t>(length) >> shift << 1);
    at = offset + length;
    bytes += length;
  }
  PackedExtents& l = list_;
  if (l.items_ == 0) l.low_ = block_[0].offset;
  l.high_ = at_ = at;
  l.bytes_ += bytes;
  l.pieces_ += static_cast<std::int64_t>(items);
  return out;
}

/// Any block.
std::uint8_t* PackedBuilder::encode_runs(std::uint8_t* out) noexcept {
  PackedExtents& l = list_;
  PackedWriter writer(out, format_, at_);
  std::int64_t low = l.items_ ? l.low_ : block_[0].offset;
  std::int64_t high = l.items_ ? l.high_ : block_[0].offset;
  std::int64_t bytes = 0, pieces = 0;
  bool ascending = l.ascending_;
  for (std::size_t i = 0; i < block_items_; ++i) {
    const Run run = block_[i];
    writer.put(run);
    const std::int64_t last = run.offset + (run.count - 1) * run.stride;
    ascending &= run.offset >= high && (run.count == 1 || run.stride >= run.length);
    low = std::min(low, std::min(run.offset, last));
    high = std::max(high, std::max(run.offset, last) + run.length);
    bytes += run.bytes();
    pieces += run.count;
  }
  l.low_ = low;
  l.high_ = high;
  l.ascending_ = ascending;
  l.bytes_ += bytes;
  l.pieces_ += pieces;
  at_ = writer.at();
  return writer.position();
}

void PackedBuilder::encode_block() {
  PackedExtents& l = list_;
  l.index_.push_back({static_cast<std::int64_t>(used_), at_, l.bytes_});
  constexpr std::size_t room =
      PackedExtents::items_per_checkpoint * std::size_t{packed_item_max_bytes} + varint_slack;
  if (l.code_.size() < used_ + room) l.code_.resize(used_ + used_ / 2 + room);
  std::uint8_t* const out = l.code_.data() + used_;
  const bool in_order = !format_.any_order && !runs_in_block_;
  const std::uint8_t* const end = in_order ? encode_pieces(out) : encode_runs(out);
  used_ = static_cast<std::size_t>(end - l.code_.data());
  l.items_ += static_cast<std::int64_t>(block_items_);
  block_items_ = 0;
  runs_in_block_ = false;
  if (l.items_ == std::int64_t{16} * PackedExtents::items_per_checkpoint)
    irregular_ = l.pieces_ < 2 * l.items_;
}

PackedExtents PackedBuilder::finish() {
  flush();
  if (block_items_ > 0) encode_block();
  PackedExtents& l = list_;
  if (l.index_.empty()) l.index_.push_back({});
  l.code_bytes_ = used_;
  l.code_.resize(used_ + varint_slack);
  l.code_.shrink_to_fit();
  l.set_hash();
  l.index_.shrink_to_fit();
  return std::move(list_);
}

}  // namespace collio::core
