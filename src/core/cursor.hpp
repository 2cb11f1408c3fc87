// Resumable walk over a Pattern: one pass serves all rounds of a call.
//
// A cursor knows its place both as an offset (where in the file or in memory) and as a position in the
// data stream (how many bytes of the access come before). It can be set by either in O(loops + log items
// + 64), and then yields runs, clipped at an offset or after a number of bytes.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/pattern.hpp"

namespace collio::core {

class Cursor {
 public:
  Cursor() = default;
  /// At the first byte of `pattern`, which must outlive the cursor.
  explicit Cursor(const Pattern& pattern) : pattern_(&pattern) { seek_stream(0); }

  /// Goes to data byte `stream`, 0 <= stream <= pattern.bytes().
  void seek_stream(std::int64_t stream) noexcept;
  /// Goes to the first data byte at or after `offset`. Ascending patterns only. Near ahead it is cheapest.
  void seek_offset(std::int64_t offset) noexcept;

  /// Data bytes before the cursor.
  [[nodiscard]] std::int64_t stream() const noexcept { return stream_; }
  /// Offset of the next data byte; meaningless at the end.
  [[nodiscard]] std::int64_t offset() const noexcept {
    return partial_.count ? partial_.offset : run_.offset;
  }
  [[nodiscard]] bool at_end() const noexcept { return partial_.count == 0 && run_.count == 0; }

  /// The next run of bytes below offset `limit` (ascending patterns). False when there is none.
  bool next_below(std::int64_t limit, Run& out) noexcept;
  /// The next runs of bytes below offset `limit` (ascending patterns), as many as there are and as fit `out`.
  /// Returns how many; 0: none left. The tight loop behind describing a window.
  std::size_t next_batch(std::int64_t limit, std::span<Run> out) noexcept;
  /// The next run of at most `limit` > 0 bytes. False at the end.
  bool next_bytes(std::int64_t limit, Run& out) noexcept;

 private:
  /// next item of the body, or next iteration, into run_
  void load() noexcept;
  /// first item of the body at base_
  void enter_body() noexcept;
  /// sets base_ and stream_ for the one with `offset`
  void enter_iteration(std::int64_t offset) noexcept;
  void skip_in_run(std::int64_t bytes) noexcept;
  void split_first(std::int64_t bytes, Run& out) noexcept;
  void take(std::int64_t count, Run& out) noexcept;

  const Pattern* pattern_ = nullptr;
  /// rest of a piece that was cut; comes before run_
  Run partial_;
  /// rest of the current item
  Run run_;
  PackedReader reader_;
  /// origin of the current iteration of the innermost loop
  std::int64_t base_ = 0;
  std::int64_t stream_ = 0;
  std::array<std::int64_t, Pattern::max_loops> index_{};
};

inline void Cursor::take(std::int64_t count, Run& out) noexcept {
  out = {run_.offset, run_.length, run_.stride, count};
  run_.count -= count;
  run_.offset += count * run_.stride;
  stream_ += out.bytes();
  if (run_.count == 0) load();
}

inline bool Cursor::next_below(std::int64_t limit, Run& out) noexcept {
  if (partial_.count) {
    if (partial_.offset >= limit) return false;
    if (partial_.end() <= limit) {
      out = partial_;
      partial_.count = 0;
      stream_ += out.length;
      if (run_.count == 0) load();
    } else {
      split_first(limit - partial_.offset, out);
    }
    return true;
  }
  if (run_.count == 0 || run_.offset >= limit) return false;
  if (run_.end() <= limit) {
    take(run_.count, out);
  } else if (run_.offset + run_.length <= limit) {
    take((limit - run_.length - run_.offset) / run_.stride + 1, out);
  } else {
    split_first(limit - run_.offset, out);
  }
  return true;
}

inline bool Cursor::next_bytes(std::int64_t limit, Run& out) noexcept {
  if (partial_.count) {
    if (partial_.length <= limit) {
      out = partial_;
      partial_.count = 0;
      stream_ += out.length;
      if (run_.count == 0) load();
    } else {
      split_first(limit, out);
    }
    return true;
  }
  if (run_.count == 0) return false;
  if (run_.bytes() <= limit)
    take(run_.count, out);
  else if (run_.length <= limit)
    take(limit / run_.length, out);
  else
    split_first(limit, out);
  return true;
}

}  // namespace collio::core
