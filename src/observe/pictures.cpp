// See pictures.hpp.
#include "observe/pictures.hpp"

#include <algorithm>

namespace collio::observe {

/// Shorter looks for messages are not kept.
constexpr double shortest_s = 1e-6;

bool Lane::joined(const Span& span) noexcept {
  if (size_ == 0 || span.begin_s > spans_[size_ - 1].end_s + gap_s_) return false;
  Span& last = spans_[size_ - 1];
  last.begin_s = std::min(last.begin_s, span.begin_s);
  last.end_s = std::max(last.end_s, span.end_s);
  return true;
}

void Lane::add(const Span& span) noexcept {
  if (joined(span)) return;
  while (size_ == most) {
    const double length_s = spans_[most - 1].end_s - spans_[0].begin_s;
    gap_s_ = std::max(2 * gap_s_, length_s / (8 * most));
    const std::array<Span, most> before = spans_;
    size_ = 0;
    for (const Span& one : before)
      if (!joined(one)) spans_[size_++] = one;
    if (joined(span)) return;
  }
  spans_[size_++] = span;
}

void note_step(CallLanes& lanes, Step step, double begin_s, double end_s) noexcept {
  if (end_s - begin_s < shortest_s) return;
  switch (step) {
    case Step::pack:
    case Step::place:
      return lanes.lanes[CallLanes::fill].add({begin_s, end_s});
    case Step::exchange:
      return lanes.lanes[CallLanes::send].add({begin_s, end_s});
    default:
      return;
  }
}

void Pictures::deal(const Targets& targets) {
  if (targets.unit_bytes <= 0 || targets.count <= 0 || targets.count > most_targets) return;
  const std::lock_guard lock(mutex_);
  noted_.targets = targets;
  noted_.target_bytes.assign(static_cast<std::size_t>(targets.count), 0);
  noted_.target_ns.assign(static_cast<std::size_t>(targets.count), 0);
}

/// Each target gets its stripes' bytes, and their part of the time.
void Pictures::share(std::int64_t offset, std::int64_t bytes, double ns_a_byte) noexcept {
  const auto [unit, count] = noted_.targets;
  if (count == 0) return;
  for (std::int64_t at = offset, end = offset + bytes; at < end;) {
    const std::int64_t part = std::min(end - at, unit - at % unit);
    const auto target = static_cast<std::size_t>(at / unit % count);
    noted_.target_bytes[target] += part;
    noted_.target_ns[target] += ns_a_byte * static_cast<double>(part);
    at += part;
  }
}

void Pictures::transfer(const Transfer& t) noexcept {
  if (t.bytes <= 0 || t.offset < 0) return;
  const std::lock_guard lock(mutex_);
  noted_.accessed.add(t.offset, t.offset + t.bytes);
  if (t.time.end_s <= t.time.begin_s) return;
  transfers_.add(t.time);
  share(t.offset, t.bytes, 1e9 * (t.time.end_s - t.time.begin_s) / static_cast<double>(t.bytes));
}

void Pictures::call(const Lane::Span& time) noexcept {
  const std::lock_guard lock(mutex_);
  noted_.in_calls.add(static_cast<std::int64_t>(1e9 * (time.begin_s - opened_s_)),
                      static_cast<std::int64_t>(1e9 * (time.end_s - opened_s_)));
}

void Pictures::begin_moving() noexcept {
  const std::lock_guard lock(mutex_);
  transfers_.clear();
}

void Pictures::end_moving(const CallLanes& lanes, double agreed_s) noexcept {
  const std::lock_guard lock(mutex_);
  noted_.last = lanes;
  noted_.last.lanes[CallLanes::file] = transfers_;
  noted_.last_s = agreed_s;
}

}  // namespace collio::observe
