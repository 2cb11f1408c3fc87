// See node_slots.hpp.
#include "transport/node_memory/node_slots.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace collio::transport {

namespace {

constexpr std::size_t line = 64;
constexpr std::size_t page = 4096;
constexpr std::uint32_t not_loaded = 0, loading_now = 1, is_loaded = 2;
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

void raise_to(std::atomic<std::int64_t>& value, std::int64_t to) noexcept {
  std::int64_t now = value.load(std::memory_order_relaxed);
  while (now < to && !value.compare_exchange_weak(now, to, std::memory_order_relaxed)) {}
}

}  // namespace

/// All zero at first, as fresh shared memory is; the same after every turn.
struct NodeSlots::Slot {
  alignas(2 * line) std::atomic<std::int32_t> arrived;
  std::atomic<std::uint64_t> hash;
  std::atomic<std::int64_t> bytes, high;
  std::atomic<std::int64_t> below_largest;       ///< `largest` minus the lowest offset
  std::atomic<std::int64_t> next_below_largest;  ///< `largest` minus the lowest round announced
  std::atomic<std::int64_t> room_taken;
  std::atomic<bool> due;
  Window window;
  std::int64_t end_of_file;
  alignas(line) SharedWord load;  ///< not_loaded, loading_now, is_loaded
};

struct NodeSlots::Head {
  struct Group {
    alignas(line) SharedWord turn;
    std::atomic<std::int32_t> finished;  ///< windows of the batch
  };
  alignas(line) std::atomic<std::uint64_t> full;
  alignas(line) std::atomic<std::int32_t> serving;
  alignas(line) SharedWord turns;  ///< changes with the turn of any group
  alignas(line) SharedWord bell;   ///< and with every slot that is full or loaded
  alignas(line) BytesOut bytes_out;
  alignas(line) SharedWord meetings;
  std::atomic<std::int32_t> met;                                    ///< ranks that have come to the next one
  std::atomic<std::uint64_t> mapped;                                ///< mapped_ of all ranks together
  std::array<std::atomic<std::int64_t>, most_growths> free_before;  ///< of each growth, and one; 0: not known
  Group groups[most_groups];
};

/// Of calls in turn.
struct NodeSlots::Counters {
  std::array<std::array<flow::Tally::Counter, most_counters>, 2> of;
};

namespace {

constexpr std::size_t up_to_page(std::size_t bytes) { return (bytes + page - 1) / page * page; }
/// A bit per byte, and a word per slot for windows that are no multiple of 64 bytes.
constexpr std::size_t mask_part(std::size_t bytes) {
  return up_to_page(bytes / 8 + 8 * NodeSlots::most_slots);
}
static_assert(policy::most_node_slots <= 64, "full slots are bits of a word");

}  // namespace

// The memory: the head, slots' heads, among several nodes the counters, then the masks of all slots, then
// their windows. A mask is all zero between two turns, so any layout finds its masks in order; hence they
// keep to a part of their own, large enough for single bytes. Among several nodes, and with kernels that make
// no pages on request, all of it has pages from the beginning, and ranks map a window when they come to it.
NodeSlots::NodeSlots(std::unique_ptr<SharedMemory> memory, const Size& size, const Makers& makers) noexcept
    : memory_(std::move(memory)),
      head_(at<Head>(0)),
      size_(size),
      there_(size.several_nodes || !SharedMemory::kernel_makes_pages() ? ~std::uint64_t{0} : 0),
      makers_(makers) {}

std::size_t NodeSlots::counters_begin(const Size& size) noexcept {
  return up_to_page(sizeof(Head)) + sizeof(Slot) * static_cast<std::size_t>(size.slots());
}

std::size_t NodeSlots::masks_begin(const Size& size) noexcept {
  return up_to_page(counters_begin(size) + (size.several_nodes ? sizeof(Counters) : 0));
}

std::size_t NodeSlots::windows_begin(const Size& size) noexcept {
  return masks_begin(size) + mask_part(size.bytes);
}

NodeSlots::Slot& NodeSlots::slot_at(int slot) const noexcept {
  return at<Slot>(up_to_page(sizeof(Head)))[slot];
}

std::size_t NodeSlots::slot_bytes() const noexcept {
  return up_to_page(static_cast<std::size_t>(layout_.window_bytes)) /
         static_cast<std::size_t>(layout_.window_slots);
}

std::byte* NodeSlots::data(int slot) const noexcept {
  return memory_->data() + windows_begin(size_) + slot_bytes() * static_cast<std::size_t>(slot);
}

std::size_t NodeSlots::part_bytes() const noexcept {
  return up_to_page(memory_->bytes() / 64 + 1);  // a bit of a word each
}

std::uint64_t NodeSlots::parts(std::size_t begin, std::size_t bytes) const noexcept {
  if (bytes == 0) return 0;
  const auto below = [](std::size_t part) { return (std::uint64_t{1} << part % 64) - 1; };
  const std::size_t first = begin / part_bytes(), last = (begin + bytes - 1) / part_bytes();
  return (below(last) | std::uint64_t{1} << last) & ~below(first);
}

std::uint64_t NodeSlots::parts_of(const Room& room) const noexcept {
  return parts(masks_begin(size_), std::min(room.masks, mask_part(size_.bytes))) |
         parts(windows_begin(size_), std::min(room.windows, size_.bytes));
}

NodeSlots::Room NodeSlots::room_for(std::int64_t slots, std::int64_t window_bytes, int mask_shift) noexcept {
  Room room;
  room.windows = up_to_page(static_cast<std::size_t>(window_bytes)) * static_cast<std::size_t>(slots);
  if (mask_shift >= 0)
    room.masks = sizeof(std::uint64_t) *
                 static_cast<std::size_t>(core::ByteMask::words_for(window_bytes, mask_shift) * slots);
  return room;
}

bool NodeSlots::make_room(const Room& room, std::string& why) noexcept {
  const std::uint64_t lacking = parts_of(room) & ~there_;
  if (lacking == 0) return true;
  // What is free before any rank makes its part: the first to come looks, for all.
  std::atomic<std::int64_t>& before =
      head_->free_before[static_cast<std::size_t>(std::min(growths_++, most_growths - 1))];
  std::int64_t none = 0;
  before.compare_exchange_strong(none, SharedMemory::free_bytes() + 1);
  if (!SharedMemory::is_half(part_bytes() * static_cast<std::size_t>(std::popcount(lacking)), before - 1,
                             why))
    return false;
  int turn = 0;
  for (std::uint64_t left = lacking; left != 0; left &= left - 1) {
    if (turn++ % makers_.ranks != makers_.mine) continue;
    if (!memory_->make_pages(part_bytes() * static_cast<std::size_t>(std::countr_zero(left)), part_bytes(),
                             why))
      return false;
    mapped_ |= left & (~left + 1);
    head_->mapped.fetch_or(left & (~left + 1), std::memory_order_relaxed);
  }
  return true;
}

std::size_t NodeSlots::bytes_there() const noexcept {
  const std::uint64_t windows = there_ & parts(windows_begin(size_), size_.bytes);
  return std::min(size_.bytes, part_bytes() * static_cast<std::size_t>(std::popcount(windows)));
}

void NodeSlots::map_pages(int slot, std::int64_t bytes) noexcept {
  const auto from = static_cast<std::size_t>(data(slot) - memory_->data());
  std::uint64_t left = parts(from, static_cast<std::size_t>(bytes)) & ~mapped_;
  mapped_ |= left;
  const std::uint64_t others = head_->mapped.fetch_or(left, std::memory_order_relaxed);
  for (; left != 0; left &= left - 1)
    memory_->map_pages(part_bytes() * static_cast<std::size_t>(std::countr_zero(left)), part_bytes(),
                       (others & left & (~left + 1)) == 0);
}

core::ByteMask NodeSlots::mask(int slot) const noexcept {
  if (!layout_.masks) return {};
  const std::int64_t bytes =
      layout_.window_slots > 1 ? static_cast<std::int64_t>(slot_bytes()) : layout_.window_bytes;
  const std::int64_t words = core::ByteMask::words_for(bytes, layout_.mask_shift);
  return {at<std::uint64_t>(masks_begin(size_)) + words * slot, layout_.mask_shift};
}

bool NodeSlots::ready(int group) const noexcept {
  // Less than none: later batches, in which this rank has no part, are over.
  return layout_.groups.in_turn(group, [this](int one) {
    return static_cast<std::int32_t>(turn_[static_cast<std::size_t>(one)] - head_->groups[one].turn.load());
  });
}

SharedWord& NodeSlots::word_of(int group) const noexcept {
  using Hears = SlotLayout::Hears;
  if (layout_.hears == Hears::group) return head_->groups[group].turn;
  return layout_.hears == Hears::turns ? head_->turns : head_->bell;
}

std::uint32_t NodeSlots::watch(int group) const noexcept { return word_of(group).load(); }

void NodeSlots::idle(int group, std::uint32_t seen, WordWait& wait) const noexcept {
  wait.idle(word_of(group), seen);
}

void NodeSlots::enter(int group) noexcept { ++turn_[static_cast<std::size_t>(group)]; }

std::int64_t NodeSlots::contribute(int slot, const core::TilingSum& sum, const core::Extent& hull) noexcept {
  Slot& s = slot_at(slot);
  s.hash.fetch_add(sum.hash, std::memory_order_relaxed);
  raise_to(s.below_largest, largest - hull.offset);
  raise_to(s.high, hull.end());
  return s.bytes.fetch_add(sum.bytes, std::memory_order_relaxed);
}

std::int64_t NodeSlots::take_room(int slot, std::int64_t bytes) noexcept {
  return slot_at(slot).room_taken.fetch_add(bytes, std::memory_order_relaxed);
}

std::int64_t NodeSlots::room_taken(int slot) const noexcept {
  return slot_at(slot).room_taken.load(std::memory_order_relaxed);
}

bool NodeSlots::count_in(int slot, const Window& window) noexcept {
  if (slot_at(slot).arrived.fetch_add(1, std::memory_order_acq_rel) + 1 != window.parties) return false;
  slot_at(slot).window = window;
  return true;
}

void NodeSlots::announce(int slot, bool any, std::int64_t next_round) noexcept {
  if (any) slot_at(slot).due.store(true, std::memory_order_relaxed);
  if (next_round >= 0) raise_to(slot_at(slot).next_below_largest, largest - next_round);
}

std::span<flow::Tally::Counter> NodeSlots::next_counters() noexcept {
  return at<Counters>(counters_begin(size_))->of[static_cast<std::size_t>(++counted_calls_ % 2)];
}

NodeSlots::BytesOut& NodeSlots::bytes_out() noexcept { return head_->bytes_out; }

void NodeSlots::meet(MPI_Comm comm) noexcept {
  WordWait wait(comm);
  const std::uint32_t seen = head_->meetings.load();
  if (head_->met.fetch_add(1, std::memory_order_acq_rel) + 1 == ranks()) {
    head_->met.store(0, std::memory_order_relaxed);
    return head_->meetings.set(seen + 1);
  }
  while (head_->meetings.load() == seen) wait.idle(head_->meetings, seen);
}

void NodeSlots::clear_old_counters(int node_rank) noexcept {
  auto& old = at<Counters>(counters_begin(size_))->of[static_cast<std::size_t>((counted_calls_ + 1) % 2)];
  const auto begin = [&](int rank) {
    return static_cast<std::size_t>(most_counters) * static_cast<std::size_t>(rank) /
           static_cast<std::size_t>(ranks());
  };
  for (std::size_t i = begin(node_rank); i < begin(node_rank + 1); ++i)
    old[i].store(0, std::memory_order_relaxed);
}

bool NodeSlots::arrive(int slot, const Window& window) noexcept { return count_in(slot, window); }

void NodeSlots::await_departures(int slot) noexcept {
  slot_at(slot).arrived.store(0, std::memory_order_release);
}

NodeSlots::Filled NodeSlots::filled(int slot) const noexcept {
  const Slot& s = slot_at(slot);
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

void NodeSlots::finish(int slot) noexcept {
  Slot& s = slot_at(slot);
  Head::Group& group = head_->groups[layout_.groups.group_of(slot)];
  const std::int32_t batch_size = s.window.batch_size;
  s.arrived.store(0, std::memory_order_relaxed);
  if (group.finished.fetch_add(1, std::memory_order_acq_rel) + 1 != batch_size) return;
  group.finished.store(0, std::memory_order_relaxed);
  group.turn.set(group.turn.load() + 1);
  if (layout_.any_hears >= SlotLayout::Hears::turns) head_->turns.bump();
  ring_slots();
}

void NodeSlots::ring_slots() noexcept {
  if (layout_.any_hears == SlotLayout::Hears::slots) head_->bell.bump();
}

void NodeSlots::recycle(int slot) noexcept {
  Slot& s = slot_at(slot);
  if (layout_.masks && !s.window.packed) mask(slot).clear(layout_.window_bytes);
  s.room_taken.store(0, std::memory_order_relaxed);
  s.hash.store(0, std::memory_order_relaxed);
  s.bytes.store(0, std::memory_order_relaxed);
  s.high.store(0, std::memory_order_relaxed);
  s.below_largest.store(0, std::memory_order_relaxed);
  s.next_below_largest.store(0, std::memory_order_relaxed);
  s.due.store(false, std::memory_order_relaxed);
  finish(slot);
}

void NodeSlots::push_full(int slot) noexcept {
  head_->full.fetch_or(std::uint64_t{1} << (slot / layout_.window_slots), std::memory_order_seq_cst);
  ring_slots();
}

int NodeSlots::pop_full() noexcept {
  std::uint64_t full = head_->full.load(std::memory_order_seq_cst);
  while (full != 0) {
    const std::uint64_t lowest = full & (~full + 1);
    if (head_->full.compare_exchange_weak(full, full & ~lowest, std::memory_order_acq_rel))
      return std::countr_zero(lowest) * layout_.window_slots;
  }
  return -1;
}

bool NodeSlots::any_full() const noexcept { return head_->full.load(std::memory_order_seq_cst) != 0; }

bool NodeSlots::begin_serving(int most) noexcept {
  // Sequentially consistent, like push_full, any_full and end_serving: of a rank that fills a slot and one
  // that stops serving, one sees the other.
  std::int32_t now = head_->serving.load(std::memory_order_seq_cst);
  while (now < most)
    if (head_->serving.compare_exchange_weak(now, now + 1, std::memory_order_seq_cst)) return true;
  return false;
}

void NodeSlots::end_serving() noexcept { head_->serving.fetch_sub(1, std::memory_order_seq_cst); }

bool NodeSlots::claim(int slot) noexcept {
  std::uint32_t before = not_loaded;
  return slot_at(slot).load.value.compare_exchange_strong(before, loading_now, std::memory_order_acq_rel);
}

void NodeSlots::finish_loading(int slot, std::int64_t end_of_file) noexcept {
  slot_at(slot).end_of_file = end_of_file;
  slot_at(slot).load.set(is_loaded);
  ring_slots();
}

bool NodeSlots::loaded(int slot) const noexcept { return slot_at(slot).load.load() == is_loaded; }

void NodeSlots::idle_for_load(int slot, WordWait& wait) const noexcept {
  SharedWord& load = slot_at(slot).load;
  if (const std::uint32_t seen = load.load(); seen != is_loaded) wait.idle(load, seen);
}

std::int64_t NodeSlots::end_of_file(int slot) const noexcept { return slot_at(slot).end_of_file; }

void NodeSlots::depart(int slot, const Window& window) noexcept {
  if (!count_in(slot, window)) return;
  slot_at(slot).load.value.store(not_loaded, std::memory_order_relaxed);
  recycle(slot);
}

}  // namespace collio::transport
