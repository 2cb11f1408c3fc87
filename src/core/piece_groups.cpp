// See piece_groups.hpp.
#include "core/piece_groups.hpp"

#include <algorithm>

namespace collio::core {

std::int64_t PieceGroup::bytes_before(std::int64_t offset) const noexcept {
  std::int64_t before = 0;
  for (const Run& run : runs) {
    if (run.end() <= offset) {
      before += run.bytes();
      continue;
    }
    for (std::int64_t i = 0, at = run.offset; i < run.count && at < offset; ++i, at += run.stride)
      before += std::min(run.length, offset - at);
    break;
  }
  return before;
}

bool PieceGroups::load() noexcept {
  return rest_.count > 0 ||
         (cursor_->stream() < end_ &&
          cursor_->next_bytes(std::min(limits_.piece_bytes, end_ - cursor_->stream()), rest_));
}

bool PieceGroups::together(std::int64_t hole, std::int64_t length) const noexcept {
  return hole >= 0 && hole < limits_.call_bytes && length < limits_.call_bytes &&
         limits_.moves * hole + (limits_.moves - 1) * length < limits_.call_bytes;
}

bool PieceGroups::joins(const PieceGroup& group) const noexcept {
  return group.runs.size() < most_runs &&
         rest_.offset + rest_.length - group.span.offset <= limits_.span_bytes &&
         together(rest_.offset - group.span.end(), std::max(rest_.length, group.runs.back().length));
}

/// Of `rest_`, after a group's first bytes `span`: at least its first piece.
std::int64_t PieceGroups::pieces_that_fit(const Extent& span) const noexcept {
  if (rest_.count == 1 || !together(rest_.stride - rest_.length, rest_.length)) return 1;
  const std::int64_t room = span.offset + limits_.span_bytes - rest_.offset - rest_.length;
  return room < 0 ? 1 : std::min(rest_.count, room / rest_.stride + 1);
}

bool PieceGroups::next(PieceGroup& group) {
  if (!load()) return false;
  group.runs.clear();
  group.span = {rest_.offset, rest_.length};
  group.bytes = 0;
  group.stream = cursor_->stream() - rest_.bytes();
  do {
    const std::int64_t count = pieces_that_fit(group.span);
    Run& run = group.runs.emplace_back(rest_);
    run.count = count;
    group.bytes += run.bytes();
    group.span.length = run.end() - group.span.offset;
    rest_.count -= count;
    rest_.offset += count * rest_.stride;
  } while (load() && joins(group));
  return true;
}

}  // namespace collio::core
