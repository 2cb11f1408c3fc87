// See extent_transfers.hpp.
#include "transport/windows/extent_transfers.hpp"

#include <utility>

namespace collio::transport {

namespace {

constexpr std::size_t most_under_way = 32;

}  // namespace

void ExtentTransfers::begin(storage::Storage& file, Direction direction, const WindowSpan& span) {
  file_ = &file;
  direction_ = direction;
  span_ = span;
  run_ = {};
  ended_ = false;
  result_ = {};
}

void ExtentTransfers::start(storage::Storage& file, Direction direction, const WindowSpan& span) {
  begin(file, direction, span);
  reader_.reset();
  left_ = 1;
  start_some();
}

void ExtentTransfers::start(storage::Storage& file, Direction direction, const WindowSpan& span,
                            core::PackedExtents pieces) {
  begin(file, direction, span);
  pieces_ = std::move(pieces);
  reader_ = pieces_.reader(pieces_.before_stream(0));
  left_ = pieces_.pieces();
  start_some();
}

core::Extent ExtentTransfers::next_extent() {
  --left_;
  if (!reader_) return span_.extent;
  if (run_.count == 0) run_ = reader_->next();
  const core::Extent extent{run_.offset, run_.length};
  run_.offset += run_.stride;
  --run_.count;
  return extent;
}

/// One at a time where a transfer is done when it is started: the next one must not follow one that failed.
void ExtentTransfers::start_some() {
  const std::size_t most = file_->overlaps() ? most_under_way : 1;
  while (left_ > 0 && !ended_ && under_way_.size() < most) {
    const core::Extent e = next_extent();
    std::byte* data = span_.at(e.offset);
    under_way_.push_back({e, direction_ == write ? file_->start_write(e, data) : file_->start_read(e, data)});
    if (most == 1) book_first();
  }
}

void ExtentTransfers::book_first() {
  const UnderWay first = under_way_.front();
  under_way_.pop_front();
  storage::Transfer t = file_->finish(first.ticket);
  if (ended_) return;
  result_.bytes = first.extent.offset + t.bytes - span_.extent.offset;
  result_.error = std::move(t.error);
  ended_ = t.bytes < first.extent.length || !result_.error.ok();
}

bool ExtentTransfers::advance() {
  while (!under_way_.empty() && file_->done(under_way_.front().ticket)) book_first();
  start_some();
  return over();
}

void ExtentTransfers::finish() {
  while (!over()) {
    if (!under_way_.empty()) book_first();
    start_some();
  }
}

}  // namespace collio::transport
