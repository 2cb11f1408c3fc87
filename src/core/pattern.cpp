// See pattern.hpp.
#include "core/pattern.hpp"

#include <algorithm>
#include <limits>

#include "core/cursor.hpp"

namespace collio::core {

namespace {

/// The single item of a body that has one.
Run only_item(const PackedExtents& body) { return body.reader(body.before_stream(0)).next(); }

PackedExtents body_of(const Run& run) {
  if (run.length > 0 && run.count == 1) return PackedExtents::of({run.offset, run.length});
  return pack_runs([&](auto&& sink) { sink(run); });
}

}  // namespace

/// All empty patterns share one body, which is never freed: threads may have patterns until the process ends.
Pattern::Pattern() {
  static const auto& none =
      *new std::shared_ptr(std::make_shared<const PackedExtents>(PackedBuilder({}).finish()));
  body_ = none;
}

Pattern::Pattern(PackedExtents body) : body_(std::make_shared<const PackedExtents>(std::move(body))) {
  derive();
}

Pattern Pattern::contiguous(std::int64_t offset, std::int64_t length) {
  Pattern p(body_of({0, length, length, 1}));
  p.origin_ = offset;
  p.derive();
  return p;
}

void Pattern::derive() {
  bytes_ = body_->bytes();
  pieces_ = body_->pieces();
  low_ = body_->low();
  high_ = body_->high();
  ascending_ = body_->ascending();
  below_.assign(loops_.size(), 0);
  high_below_.assign(loops_.size(), 0);
  for (std::size_t level = loops_.size(); level-- > 0;) {
    const Loop& loop = loops_[level];
    below_[level] = bytes_;
    high_below_[level] = high_;
    ascending_ = ascending_ && (bytes_ == 0 || loop.stride >= high_ - low_);
    bytes_ *= loop.count;
    pieces_ *= loop.count;
    const std::int64_t reach = (loop.count - 1) * loop.stride;
    low_ += std::min<std::int64_t>(0, reach);
    high_ += std::max<std::int64_t>(0, reach);
  }
  low_ += origin_;
  high_ += origin_;
}

Pattern Pattern::repeated(Loop loop) const {
  if (loop.count == 0 || bytes_ == 0) return {};
  if (loop.count == 1) return *this;
  Pattern p = *this;
  if (loops_.empty() && body_->items() == 1) {
    const Run run = only_item(*body_);
    const bool joins = run.count > 1 && loop.stride == run.count * run.stride;
    if (run.count == 1 || joins) {
      const std::int64_t stride = joins ? run.stride : loop.stride;
      const std::int64_t count = joins ? run.count * loop.count : loop.count;
      if (run.count == 1 && stride == run.length) {
        p.body_ = std::make_shared<const PackedExtents>(
            body_of({run.offset, run.length * count, run.length * count, 1}));
      } else {
        p.body_ = std::make_shared<const PackedExtents>(body_of({run.offset, run.length, stride, count}));
      }
      p.derive();
      return p;
    }
  }
  if (p.loops_.size() == max_loops) p = p.unrolled();
  if (!p.loops_.empty() && loop.stride == p.loops_.front().count * p.loops_.front().stride)
    p.loops_.front().count *= loop.count;
  else
    p.loops_.insert(p.loops_.begin(), loop);
  p.derive();
  return p;
}

Pattern Pattern::shifted(std::int64_t distance) const {
  Pattern p = *this;
  p.origin_ += distance;
  p.derive();
  return p;
}

Pattern Pattern::scaled(std::int64_t factor) const {
  Pattern p(pack_runs([&](auto&& sink) {
    PackedReader reader = body_->reader(body_->before_stream(0));
    for (std::int64_t i = 0; i < body_->items(); ++i) {
      const Run run = reader.next();
      sink(Run{run.offset * factor, run.length * factor, run.stride * factor, run.count});
    }
  }));
  for (const Loop& loop : loops_) p.loops_.push_back({loop.count, loop.stride * factor});
  p.origin_ = origin_ * factor;
  p.derive();
  return p;
}

Pattern Pattern::unrolled() const {
  return Pattern(pack_runs([&](auto&& sink) {
    Cursor cursor(*this);
    for (Run run; cursor.next_bytes(std::numeric_limits<std::int64_t>::max(), run);) sink(run);
  }));
}

/// To within a checkpoint, never more than there are.
std::int64_t Pattern::items_before(std::int64_t stream) const noexcept {
  std::int64_t items = 0, rest = stream;
  for (std::size_t level = 0; level < loops_.size(); ++level) {
    items = items * loops_[level].count + rest / below_[level];
    rest %= below_[level];
  }
  items *= body_->items();
  return items + (rest > 0 ? body_->items_before(rest) : 0);
}

// A piece, or a run of which a part is within: at each end there may be both.
std::int64_t Pattern::most_pieces(std::int64_t begin, std::int64_t end) const noexcept {
  if (end <= begin) return 0;
  constexpr int rounded = PackedExtents::items_per_checkpoint, cut = 4;
  const std::int64_t items =
      items_before(end) - items_before(begin) + std::min<std::int64_t>(rounded, body_->items()) + cut;
  return std::min(pieces_, body_->items() == body_->pieces() ? items : 2 * items);
}

int Pattern::shift() const noexcept {
  std::uint64_t bits = std::uint64_t{1} << body_->format().shift;
  for (const Loop& loop : loops_) bits |= static_cast<std::uint64_t>(loop.stride);
  return shift_of(bits);
}

}  // namespace collio::core
