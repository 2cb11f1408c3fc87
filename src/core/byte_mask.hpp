// Which bytes of a window have been filled, by whatever ranks of a node: one bit per unit of 2^shift bytes.
//
// Where many ranks fill one window in shared memory, the mask is both the merge and the union of their piece
// lists: it costs each rank a few instructions a piece, its size does not depend on the pieces, and reading
// it back yields the maximal extents in order. A k-way merge of the lists would cost a comparison tree per
// piece.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <span>

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

  /// Calls sink(Extent) for every maximal extent of filled bytes in [0, end), ascending. `end` is a multiple
  /// of the unit.
  template <class Sink>
  void for_each_extent(std::int64_t end, Sink&& sink) const {
    std::int64_t start = -1;  // of the extent that is open
    const std::int64_t units = for_each_edge_word(end, [&](std::int64_t at, std::uint64_t edges) {
      for (; edges != 0; edges &= edges - 1) {
        const std::int64_t unit = at + std::countr_zero(edges);
        if (start < 0) {
          start = unit;
          continue;
        }
        sink(Extent{start << shift_, (unit - start) << shift_});
        start = -1;
      }
    });
    if (start >= 0) sink(Extent{start << shift_, (units - start) << shift_});
  }

  /// How many extents for_each_extent() finds.
  [[nodiscard]] std::int64_t extents(std::int64_t end) const noexcept {
    std::int64_t edges = 0;
    for_each_edge_word(end, [&](std::int64_t, std::uint64_t bits) { edges += std::popcount(bits); });
    return (edges + 1) / 2;  // the last one may have no stop
  }

 private:
  friend class MaskWriter;

  /// Calls sink(first unit, bits) for every 64 units in [0, end): where filled and empty units meet, starts
  /// and stops in turn. The number of units.
  template <class Sink>
  std::int64_t for_each_edge_word(std::int64_t end, Sink&& sink) const {
    const std::int64_t units = end >> shift_;
    std::uint64_t before = 0;  // the last bit of the word before
    for (std::int64_t at = 0; at < units; at += 64) {
      const std::uint64_t bits =
          words_[at >> 6] & (units - at < 64 ? (std::uint64_t{1} << (units - at)) - 1 : ~std::uint64_t{0});
      sink(at, bits ^ (bits << 1 | before));
      before = bits >> 63;
    }
    return units;
  }

  std::uint64_t* words_ = nullptr;
  int shift_ = 0;
};

/// Adds one rank's pieces. Bits of a word are gathered before they are stored: one atomic operation per word
/// touched.
class MaskWriter {
 public:
  /// `origin`: file offset of the window's first byte.
  MaskWriter(const ByteMask& mask, std::int64_t origin) noexcept : mask_(mask), origin_(origin) {}
  MaskWriter(const MaskWriter&) = delete;
  MaskWriter& operator=(const MaskWriter&) = delete;
  ~MaskWriter() { store(at_); }

  /// Offsets from `origin` and lengths are multiples of the unit.
  void add(std::span<const Run> runs) noexcept {
    Word at = at_;  // in registers
    for (const Run& run : runs) {
      std::int64_t offset = run.offset - origin_;
      for (std::int64_t i = 0; i < run.count; ++i, offset += run.stride)
        add_units(at, offset >> mask_.shift_, (offset + run.length) >> mask_.shift_);
    }
    at_ = at;
  }
  void add(const Run& run) noexcept { add({&run, 1}); }

 private:
  /// Bits of one word that are not stored yet.
  struct Word {
    std::int64_t number = -1;
    std::uint64_t bits = 0;
  };

  void add_units(Word& at, std::int64_t from, std::int64_t to) noexcept {
    while (from < to) {
      const std::int64_t number = from >> 6;
      if (number != at.number) {
        store(at);
        at = {number, 0};
      }
      const std::int64_t stop = std::min(to, (number + 1) << 6);
      at.bits |= (~std::uint64_t{0} >> (64 - (stop - from))) << (from & 63);
      from = stop;
    }
  }
  void store(const Word& at) noexcept {
    if (at.bits != 0)
      std::atomic_ref<std::uint64_t>(mask_.words_[at.number]).fetch_or(at.bits, std::memory_order_relaxed);
  }

  ByteMask mask_;
  std::int64_t origin_;
  Word at_;
};

}  // namespace collio::core
