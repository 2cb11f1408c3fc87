// See slot_books.hpp.
#include "transport/node_memory/slot_books.hpp"

#include <limits>

namespace collio::transport {

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

void raise_to(std::atomic<std::int64_t>& value, std::int64_t to) noexcept {
  std::int64_t now = value.load(std::memory_order_relaxed);
  while (now < to && !value.compare_exchange_weak(now, to, std::memory_order_relaxed)) {}
}

}  // namespace

std::int64_t SlotBooks::contribute(int slot, const core::TilingSum& sum, const core::Extent& hull) noexcept {
  Shared& s = books_[slot];
  s.hash.fetch_add(sum.hash, std::memory_order_relaxed);
  raise_to(s.below_largest, largest - hull.offset);
  raise_to(s.high, hull.end());
  return s.bytes.fetch_add(sum.bytes, std::memory_order_relaxed);
}

std::int64_t SlotBooks::take_room(int slot, std::int64_t bytes) noexcept {
  return books_[slot].room_taken.fetch_add(bytes, std::memory_order_relaxed);
}

std::int64_t SlotBooks::room_taken(int slot) const noexcept {
  return books_[slot].room_taken.load(std::memory_order_relaxed);
}

void SlotBooks::announce(int slot, bool any, std::int64_t next_round) noexcept {
  Shared& s = books_[slot];
  if (any) s.due.store(true, std::memory_order_relaxed);
  if (next_round >= 0) raise_to(s.next_below_largest, largest - next_round);
}

bool SlotBooks::arrive(int slot, const Window& window) noexcept {
  Shared& s = books_[slot];
  if (s.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 != window.parties) return false;
  s.window = window;
  return true;
}

void SlotBooks::await_departures(int slot) noexcept {
  books_[slot].arrived.store(0, std::memory_order_release);
}

SlotBooks::Filled SlotBooks::filled(int slot) const noexcept {
  const Shared& s = books_[slot];
  Filled f;
  f.window_offset = s.window.offset;
  f.sum = {s.hash.load(std::memory_order_relaxed), s.bytes.load(std::memory_order_relaxed)};
  const std::int64_t next = s.next_below_largest.load(std::memory_order_relaxed);
  f.next_round = next == 0 ? -1 : largest - next;
  f.due = s.due.load(std::memory_order_relaxed);
  f.hull.offset = largest - s.below_largest.load(std::memory_order_relaxed);
  f.hull.length = s.high.load(std::memory_order_relaxed) - f.hull.offset;
  return f;
}

void SlotBooks::clear(int slot) noexcept {
  Shared& s = books_[slot];
  s.room_taken.store(0, std::memory_order_relaxed);
  s.hash.store(0, std::memory_order_relaxed);
  s.bytes.store(0, std::memory_order_relaxed);
  s.high.store(0, std::memory_order_relaxed);
  s.below_largest.store(0, std::memory_order_relaxed);
  s.next_below_largest.store(0, std::memory_order_relaxed);
  s.due.store(false, std::memory_order_relaxed);
  s.arrived.store(0, std::memory_order_relaxed);
}

}  // namespace collio::transport
