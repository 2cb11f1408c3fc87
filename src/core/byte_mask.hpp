// Which bytes of a window have been filled, by whatever ranks of a node: one bit per unit of 2^shift bytes.
//
// Where many ranks fill one window in shared memory, the mask is both the merge and the union of their piece lists:
// it costs each rank a few instructions a piece, its size does not depend on the pieces, and reading it back yields
// the maximal extents in order. A k-way merge of the lists would cost a comparison tree per piece.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

#include "core/extent.hpp"

namespace collio::core {

/// Bits over memory that the user provides, zero at first. Several processes may add at the same time.
class ByteMask {
 public:
  ByteMask() = default;
  ByteMask(std::uint64_t* words, int shift) noexcept : words_(words), shift_(shift) {}

  /// 64-bit words for a window of `window_bytes` bytes in units of 2^shift bytes.
  [[nodiscard]] static constexpr std::int64_t words_for(std::int64_t window_bytes, int shift) noexcept {
    return (((window_bytes - 1) >> shift) + 64) >> 6;
  }
  explicit operator bool() const noexcept { return words_ != nullptr; }
  /// Nothing of a window of `window_bytes` bytes is filled.
  void clear(std::int64_t window_bytes) noexcept { std::fill_n(words_, words_for(window_bytes, shift_), 0); }

  /// Calls sink(Extent) for every maximal extent of filled bytes in [0, end), ascending. `end` is a multiple of the unit.
  template <class Sink>
  void for_each_extent(std::int64_t end, Sink&& sink) const {
    const std::int64_t units = end >> shift_;
    for (std::int64_t at = find(0, units, true); at < units;) {
      const std::int64_t stop = find(at, units, false);
      sink(Extent{at << shift_, (stop - at) << shift_});
      at = find(stop, units, true);
    }
  }

 private:
  friend class MaskWriter;

  /// First unit in [from, to) that is filled (or, not `filled`, empty); `to` when there is none.
  [[nodiscard]] std::int64_t find(std::int64_t from, std::int64_t to, bool filled) const noexcept {
    if (from >= to) return to;
    const std::uint64_t flip = filled ? 0 : ~std::uint64_t{0};
    std::int64_t word = from >> 6;
    std::uint64_t bits = (words_[word] ^ flip) & (~std::uint64_t{0} << (from & 63));
    while (bits == 0) {
      if (++word << 6 >= to) return to;
      bits = words_[word] ^ flip;
    }
    const std::int64_t found = (word << 6) + std::countr_zero(bits);
    return found < to ? found : to;
  }

  std::uint64_t* words_ = nullptr;
  int shift_ = 0;
};

/// Adds one rank's pieces. Bits of a word are gathered before they are stored: one atomic operation per word touched.
class MaskWriter {
 public:
  /// `origin`: file offset of the window's first byte.
  MaskWriter(const ByteMask& mask, std::int64_t origin) noexcept : mask_(mask), origin_(origin) {}
  MaskWriter(const MaskWriter&) = delete;
  MaskWriter& operator=(const MaskWriter&) = delete;
  ~MaskWriter() { flush(); }

  /// Offsets from `origin` and lengths are multiples of the unit.
  void add(const Run& run) noexcept {
    std::int64_t offset = run.offset - origin_;
    for (std::int64_t i = 0; i < run.count; ++i, offset += run.stride)
      add_units(offset >> mask_.shift_, (offset + run.length) >> mask_.shift_);
  }

 private:
  void add_units(std::int64_t from, std::int64_t to) noexcept {
    while (from < to) {
      const std::int64_t word = from >> 6;
      const std::int64_t stop = to < (word + 1) << 6 ? to : (word + 1) << 6;
      if (word != word_) {
        flush();
        word_ = word;
      }
      bits_ |= (~std::uint64_t{0} >> (64 - (stop - from))) << (from & 63);
      from = stop;
    }
  }
  void flush() noexcept {
    if (bits_ != 0) std::atomic_ref<std::uint64_t>(mask_.words_[word_]).fetch_or(bits_, std::memory_order_relaxed);
    bits_ = 0;
  }

  ByteMask mask_;
  std::int64_t origin_;
  std::int64_t word_ = -1;
  std::uint64_t bits_ = 0;
};

}  // namespace collio::core
