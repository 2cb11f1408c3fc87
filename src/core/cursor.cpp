// See cursor.hpp.
//
// Invariant outside the member functions: partial_ and run_ hold the next bytes, or both are empty and
// the pattern is at its end. run_ is never empty while bytes remain behind partial_ unless partial_ is
// the last piece of its item (load() then runs when partial_ is consumed).
#include "core/cursor.hpp"

#include <algorithm>
#include <cassert>

namespace collio::core {

void Cursor::enter_body() noexcept { reader_ = pattern_->body().reader(pattern_->body().before_stream(0)); }

void Cursor::load() noexcept {
  const PackedExtents& body = pattern_->body();
  if (reader_.position() == body.code_end()) {
    const auto& loops = pattern_->loops();
    std::size_t level = loops.size();
    while (level > 0) {
      --level;
      base_ += loops[level].stride;
      if (++index_[level] < loops[level].count) {
        enter_body();
        break;
      }
      base_ -= index_[level] * loops[level].stride;
      index_[level] = 0;
      if (level == 0) return;
    }
    if (loops.empty()) return;
  }
  run_ = reader_.next();
  run_.offset += base_;
}

std::size_t Cursor::next_batch(std::int64_t limit, std::span<Run> out) noexcept {
  std::size_t n = 0;
  while (n < out.size() && next_below(limit, out[n])) {
    ++n;
    // Whole items of the body that end below the limit need no clipping: state stays in registers.
    if (partial_.count || run_.count == 0) continue;
    const std::uint8_t* const end = pattern_->body().code_end();
    PackedReader reader = reader_;
    Run next = run_;
    std::int64_t bytes = 0;
    while (n < out.size() && reader.at() + base_ <= limit) {
      out[n++] = next;
      bytes += next.bytes();
      next.count = 0;
      if (reader.position() == end) break;
      next = reader.next();
      next.offset += base_;
    }
    stream_ += bytes;
    reader_ = reader;
    run_ = next;
    if (run_.count == 0) load();
  }
  return n;
}

void Cursor::split_first(std::int64_t bytes, Run& out) noexcept {
  if (partial_.count == 0) {
    partial_ = {run_.offset, run_.length, 0, 1};
    run_.offset += run_.stride;
    --run_.count;
  }
  out = {partial_.offset, bytes, bytes, 1};
  partial_.offset += bytes;
  partial_.length -= bytes;
  stream_ += bytes;
}

void Cursor::skip_in_run(std::int64_t bytes) noexcept {
  const std::int64_t whole = bytes / run_.length;
  assert(whole < run_.count);
  run_.offset += whole * run_.stride;
  run_.count -= whole;
  if (const std::int64_t rest = bytes - whole * run_.length; rest > 0) {
    const std::int64_t before = stream_;
    Run skipped;
    split_first(rest, skipped);
    stream_ = before;
  }
}

void Cursor::seek_stream(std::int64_t stream) noexcept {
  partial_ = run_ = {};
  stream_ = stream;
  if (stream >= pattern_->bytes()) return;
  const auto& loops = pattern_->loops();
  base_ = pattern_->origin();
  std::int64_t rest = stream;
  for (std::size_t level = 0; level < loops.size(); ++level) {
    index_[level] = rest / pattern_->bytes_below(level);
    rest -= index_[level] * pattern_->bytes_below(level);
    base_ += index_[level] * loops[level].stride;
  }
  const auto& checkpoint = pattern_->body().before_stream(rest);
  PackedReader reader = pattern_->body().reader(checkpoint);
  rest -= checkpoint.stream;
  Run run = reader.next();
  for (; rest >= run.bytes(); run = reader.next()) rest -= run.bytes();
  reader_ = reader;
  run_ = run;
  run_.offset += base_;
  skip_in_run(rest);
}

void Cursor::enter_iteration(std::int64_t offset) noexcept {
  const auto& loops = pattern_->loops();
  base_ = pattern_->origin();
  stream_ = 0;
  for (std::size_t level = 0; level < loops.size(); ++level) {
    // First iteration that reaches beyond `offset`; there is one, because this level's end does.
    const std::int64_t beyond = offset - base_ - pattern_->high_below(level);
    const std::int64_t i = beyond < 0 ? 0 : beyond / loops[level].stride + 1;
    index_[level] = i;
    base_ += i * loops[level].stride;
    stream_ += i * pattern_->bytes_below(level);
  }
}

void Cursor::seek_offset(std::int64_t offset) noexcept {
  assert(pattern_->ascending());
  const PackedExtents& body = pattern_->body();
  if (pattern_->bytes() == 0 || offset >= pattern_->high()) {
    partial_ = run_ = {};
    stream_ = pattern_->bytes();
    return;
  }
  const bool stays = partial_.count == 0 && run_.count > 0 && run_.offset <= offset &&
                     offset < base_ + body.high();  // in this iteration, at or behind the cursor
  if (!stays) enter_iteration(offset);
  const std::int64_t relative = offset - base_;
  const auto& checkpoint = body.before_offset(relative);
  PackedReader reader = body.reader(checkpoint);  // a local one: its state stays in registers
  Run run = run_;
  if (stays && reader_.position() > reader.position()) {
    reader = reader_;
    run.offset -= base_;
  } else {
    if (stays) enter_iteration(offset);
    run = reader.next();
    stream_ += checkpoint.stream;
  }
  std::int64_t skipped = 0;
  for (; run.end() <= relative; run = reader.next()) skipped += run.bytes();
  stream_ += skipped;
  reader_ = reader;
  partial_ = {};
  run_ = run;
  run_.offset += base_;
  if (run_.offset >= offset) return;
  // Inside this item: whole pieces that end at or before `offset`, then a part of one.
  std::int64_t skip = 0;
  if (run_.count > 1) {
    const std::int64_t whole =
        std::max<std::int64_t>(0, (offset - run_.offset - run_.length) / run_.stride + 1);
    const std::int64_t pieces = offset - run_.offset < run_.length ? 0 : whole;
    skip = pieces * run_.length;
    skip += std::clamp<std::int64_t>(offset - (run_.offset + pieces * run_.stride), 0, run_.length);
  } else {
    skip = offset - run_.offset;
  }
  stream_ += skip;
  skip_in_run(skip);
}

}  // namespace collio::core
