// A list of pieces in about two bytes each.
//
// The same encoding serves as the flattened form of an irregular datatype and as the metadata of an
// exchange message. Per item: gap to the end of the previous piece, then length (its lowest bit says
// "repeated"); a repeated item adds its count and the gap between repetitions, so a strided run of any
// count is one item. Gaps and lengths are divided by 2^shift, the largest power of two that divides
// them all: elements of 4 or 8 bytes cost no more than bytes would.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "core/extent.hpp"
#include "core/varint.hpp"

namespace collio::core {

/// How the numbers of a list are written. `any_order` lists allow negative gaps (memory datatypes).
struct PackedFormat {
  int shift = 0;
  bool any_order = false;
};

/// Reads items one after the other. `in` must be followed by varint_slack readable bytes.
class PackedReader {
 public:
  PackedReader() = default;
  PackedReader(const std::uint8_t* in, PackedFormat format, std::int64_t start) noexcept
      : in_(in), at_(start), format_(format) {}

  /// The next item. Not checked against the end: the caller counts items or compares position().
  [[gnu::always_inline]] Run next() noexcept {
    std::uint64_t word;
    std::memcpy(&word, in_, sizeof word);
    if ((word & two_short_mask) == two_short && !format_.any_order) {
      Run run{at_ + (static_cast<std::int64_t>(word >> 1 & 0x7f) << format_.shift),
              static_cast<std::int64_t>(word >> 10 & 0x3f) << format_.shift, 0, 1};
      at_ = run.offset + run.length;
      in_ += 2;
      return run;
    }
    const std::int64_t gap = gap_bytes(get_varint(in_));
    const std::uint64_t coded = get_varint(in_);
    Run run;
    run.offset = at_ + gap;
    run.length = static_cast<std::int64_t>(coded >> 1) << format_.shift;
    run.count = 1;
    if (coded & 1) {
      run.count = static_cast<std::int64_t>(get_varint(in_));
      run.stride = gap_bytes(get_varint(in_)) + run.length;
    }
    at_ = run.end();
    return run;
  }
  [[nodiscard]] const std::uint8_t* position() const noexcept { return in_; }
  /// End of the last piece read.
  [[nodiscard]] std::int64_t at() const noexcept { return at_; }

 private:
  [[nodiscard]] std::int64_t gap_bytes(std::uint64_t raw) const noexcept {
    const std::int64_t units = format_.any_order ? unzigzag(raw) : static_cast<std::int64_t>(raw);
    return units * (std::int64_t{1} << format_.shift);
  }

  /// The markers of two values of one byte, of which the second is a length that is not repeated.
  static constexpr std::uint64_t two_short = 0x101, two_short_mask = 0x301;

  const std::uint8_t* in_ = nullptr;
  std::int64_t at_ = 0;
  PackedFormat format_;
};

/// Longest item in bytes: four varints.
inline constexpr int packed_item_max_bytes = 4 * varint_max_bytes;

/// Writes items one after the other into memory the caller provides.
class PackedWriter {
 public:
  PackedWriter() = default;
  PackedWriter(std::uint8_t* out, PackedFormat format, std::int64_t start) noexcept
      : out_(out), at_(start), format_(format) {}

  /// Appends a run; room for packed_item_max_bytes is required.
  void put(const Run& run) noexcept {
    put_gap(run.offset - at_);
    const auto length = static_cast<std::uint64_t>(run.length >> format_.shift) << 1;
    if (run.count == 1) {
      out_ = put_varint(out_, length);
    } else {
      out_ = put_varint(out_, length | 1);
      out_ = put_varint(out_, static_cast<std::uint64_t>(run.count));
      put_gap(run.stride - run.length);
    }
    at_ = run.end();
  }
  [[nodiscard]] std::uint8_t* position() const noexcept { return out_; }
  /// End of the last piece written.
  [[nodiscard]] std::int64_t at() const noexcept { return at_; }

 private:
  void put_gap(std::int64_t gap) noexcept {
    const std::int64_t units = gap >> format_.shift;
    out_ = put_varint(out_, format_.any_order ? zigzag(units) : static_cast<std::uint64_t>(units));
  }

  std::uint8_t* out_ = nullptr;
  std::int64_t at_ = 0;
  PackedFormat format_;
};

/// An immutable packed list with an index for seeking. Offsets are relative to an origin of the
/// user's choice. Memory: about 2 bytes an item, plus 24 bytes per 64 items.
class PackedExtents {
 public:
  /// State before an item: where it is encoded, the end of the piece before it, data bytes before it.
  struct Checkpoint {
    std::int64_t position = 0;
    std::int64_t at = 0;
    std::int64_t stream = 0;
  };
  static constexpr int items_per_checkpoint = 64;
  /// Items before the checkpoint that comes before data byte `stream`.
  [[nodiscard]] std::int64_t items_before(std::int64_t stream) const noexcept {
    return items_per_checkpoint * (&before_stream(stream) - index_.data());
  }

  /// The list of this one piece, as a PackedBuilder makes it. `piece.length` > 0.
  [[nodiscard]] static PackedExtents of(const Extent& piece);

  [[nodiscard]] std::int64_t items() const noexcept { return items_; }
  [[nodiscard]] std::int64_t pieces() const noexcept { return pieces_; }
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }
  /// Lowest offset and highest end of any piece; both 0 when empty.
  [[nodiscard]] std::int64_t low() const noexcept { return low_; }
  [[nodiscard]] std::int64_t high() const noexcept { return high_; }
  /// True when every piece starts at or after the end of the one before it.
  [[nodiscard]] bool ascending() const noexcept { return ascending_; }
  [[nodiscard]] PackedFormat format() const noexcept { return format_; }
  [[nodiscard]] std::size_t encoded_bytes() const noexcept { return code_.size(); }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return code_.capacity() + index_.capacity() * sizeof(Checkpoint);
  }

  [[nodiscard]] PackedReader reader(const Checkpoint& from) const noexcept {
    return {code_.data() + from.position, format_, from.at};
  }
  /// Of everything that tells two lists apart.
  [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }
  /// The items as encoded, without slack.
  [[nodiscard]] std::span<const std::uint8_t> code() const noexcept { return {code_.data(), code_bytes_}; }
  [[nodiscard]] const std::uint8_t* code_end() const noexcept { return code_.data() + code_bytes_; }
  /// Last checkpoint at or before data byte `stream`. O(log items).
  [[nodiscard]] const Checkpoint& before_stream(std::int64_t stream) const noexcept;
  /// Last checkpoint such that all earlier pieces end at or before `offset`. Ascending lists only.
  [[nodiscard]] const Checkpoint& before_offset(std::int64_t offset) const noexcept;

 private:
  friend class PackedBuilder;
  void set_hash() noexcept;
  std::vector<std::uint8_t> code_;
  std::vector<Checkpoint> index_;
  std::size_t code_bytes_ = 0;
  std::uint64_t hash_ = 0;
  std::int64_t items_ = 0, pieces_ = 0, bytes_ = 0, low_ = 0, high_ = 0;
  bool ascending_ = true;
  PackedFormat format_;
};

/// Builds a PackedExtents from runs in access order. Adjacent pieces are coalesced; three or more
/// equal pieces at equal distance become one item, unless the first thousand pieces show that hardly any
/// do: then it stops looking. The shift must divide every offset and length given.
class PackedBuilder {
 public:
  explicit PackedBuilder(PackedFormat format) : format_(format) { list_.format_ = format; }
  /// Appends a run; empty ones are dropped.
  void add(const Run& run);
  void add(const Extent& piece) {
    if (piece.length == 0) return;
    Run& p = pending_;
    if (p.count == 1 && piece.offset == p.offset + p.length) {
      p.length += piece.length;
    } else if (irregular_ && p.count == 1) {
      emit(p);
      p = {piece.offset, piece.length, 0, 1};
    } else {
      add_piece(piece);
    }
  }
  [[nodiscard]] PackedExtents finish();

 private:
  void add_piece(const Extent& piece);
  void flush();
  void emit(const Run& run) {
    runs_in_block_ |= run.count != 1;
    block_[block_items_++] = run;
    if (block_items_ == block_.size()) encode_block();
  }
  void encode_block();
  std::uint8_t* encode_pieces(std::uint8_t* out) noexcept;
  std::uint8_t* encode_runs(std::uint8_t* out) noexcept;

  PackedFormat format_;
  PackedExtents list_;
  Run pending_;
  std::array<Run, PackedExtents::items_per_checkpoint> block_;
  std::size_t block_items_ = 0;
  std::size_t used_ = 0;
  std::int64_t at_ = 0;
  bool irregular_ = false, runs_in_block_ = false;
};

/// Largest shift that divides every number or-ed into `bits` (at most 20).
[[nodiscard]] int shift_of(std::uint64_t bits) noexcept;

}  // namespace collio::core
