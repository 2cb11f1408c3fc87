// See window_io.hpp.
#include "exchange/window_io.hpp"

#include <algorithm>
#include <new>

namespace collio::exchange {

using observe::Step;
using observe::Steps;
using storage::Transfer;

bool WindowStorage::sieve_pays(const Choice& c) const noexcept {
  const double whole = static_cast<double>(c.transfers) * (model.operation_s +
                       static_cast<double>(c.span_bytes) / model.bandwidth_bytes_per_s);
  const double pieces = static_cast<double>(c.operations) * model.operation_s +
                        static_cast<double>(c.data_bytes) / model.bandwidth_bytes_per_s;
  return whole < pieces;
}

namespace {

/// Puts what the file has into the holes between `pieces`. `old`: from the start of the span; the rest of it is zeros.
void fill_holes(const WindowSpan& span, const core::PackedExtents& pieces, const std::byte* old) {
  core::PackedReader reader = pieces.reader(pieces.before_stream(0));
  std::int64_t hole = span.extent.offset;
  for (std::int64_t i = 0; i < pieces.items(); ++i) {
    core::Run run = reader.next();
    for (std::int64_t k = 0; k < run.count; ++k, run.offset += run.stride) {
      std::copy_n(old + (hole - span.extent.offset), run.offset - hole, span.at(hole));
      hole = run.offset + run.length;
    }
  }
}

}  // namespace

void WindowWrite::start(const Link& link, const WindowStorage& storage, const WindowSpan& span) {
  ++link.counters->dense_windows;
  transfers_.start(*storage.file, ExtentTransfers::write, span);
}

namespace {

/// Empty where there is no memory: then pieces are written one by one.
Buffer room_for_old_content(const Link& link, const WindowSpan& span) {
  try {
    return link.pool->take(static_cast<std::size_t>(span.extent.length));
  } catch (const std::bad_alloc&) {
    return {};
  }
}

}  // namespace

void WindowWrite::start(const Link& link, const WindowStorage& storage, const WindowSpan& span, core::PackedExtents pieces) {
  const bool sieve = storage.readable && pieces.pieces() > 1 &&
                     (storage.holes == policy::Holes::sieve ||
                      (storage.holes == policy::Holes::automatic &&
                       storage.sieve_pays({pieces.pieces(), 2, span.extent.length, pieces.bytes()})));
  if (sieve) old_ = room_for_old_content(link, span);
  if (!old_) {
    ++link.counters->piecewise_windows;
    transfers_.start(*storage.file, ExtentTransfers::write, span, std::move(pieces));
    return;
  }
  link_ = link;
  storage_ = storage;
  span_ = span;
  pieces_ = std::move(pieces);
  Steps::Scope time(*link.steps, Step::read);
  transfers_.start(*storage.file, ExtentTransfers::read, {span.extent, old_.data()});
}

/// What cannot be read is written piece by piece.
void WindowWrite::go_on_after_reading() {
  const Transfer before = transfers_.take();
  if (before.error.ok()) {
    std::fill_n(old_.data() + before.bytes, span_.extent.length - before.bytes, std::byte{0});
    fill_holes(span_, pieces_, old_.data());
    ++link_.counters->sieved_windows;
    transfers_.start(*storage_.file, ExtentTransfers::write, span_);
  } else {
    ++link_.counters->piecewise_windows;
    transfers_.start(*storage_.file, ExtentTransfers::write, span_, std::move(pieces_));
  }
  link_.pool->give_back(std::move(old_));
}

bool WindowWrite::advance() {
  if (!transfers_.advance()) return false;
  if (!old_) return true;
  go_on_after_reading();
  return transfers_.over();
}

void WindowWrite::finish() {
  if (old_) {
    Steps::Scope time(*link_.steps, Step::read);
    transfers_.finish();
  }
  if (old_) go_on_after_reading();
  transfers_.finish();
}

}  // namespace collio::exchange
