// See slot_memory.hpp.
#include "transport/node_memory/slot_memory.hpp"

#include <bit>

#include "core/index.hpp"

namespace collio::transport {

namespace {

constexpr std::size_t page = 4096;

constexpr std::size_t up_to_page(std::size_t bytes) { return (bytes + page - 1) / page * page; }
/// A bit per byte, and a word per slot for windows that are no multiple of 64 bytes.
constexpr std::size_t mask_part(std::size_t bytes) {
  return up_to_page(bytes / 8 + 8 * SlotLayout::most_slots);
}

}  // namespace

// A mask is all zero between two turns, so any layout finds its masks in order; hence they keep to a part of
// their own, large enough for single bytes. Among several nodes, and with kernels that make no pages on
// request, all of the memory has pages from the beginning, and ranks map a window when they come to it.
SlotMemory::SlotMemory(std::shared_ptr<SharedMemory> memory, const Parts& parts, const Size& size,
                       const Makers& makers, Shared& shared) noexcept
    : memory_(std::move(memory)),
      parts_(parts),
      size_(size),
      makers_(makers),
      shared_(shared),
      there_(size.several_nodes || !SharedMemory::kernel_makes_pages() ? ~std::uint64_t{0} : 0) {}

SlotMemory::Parts SlotMemory::parts_for(std::size_t heads, const Size& size) noexcept {
  const std::size_t masks = up_to_page(heads), windows = masks + mask_part(size.bytes);
  return {masks, windows, windows + size.bytes};
}

std::size_t SlotMemory::slot_bytes() const noexcept {
  return up_to_page(static_cast<std::size_t>(layout_.window_bytes)) /
         static_cast<std::size_t>(layout_.window_slots);
}

std::byte* SlotMemory::data(int slot) const noexcept {
  return memory_->data() + parts_.windows + slot_bytes() * static_cast<std::size_t>(slot);
}

core::ByteMask SlotMemory::mask(int slot) const noexcept {
  if (!layout_.masks) return {};
  const std::int64_t bytes =
      layout_.window_slots > 1 ? static_cast<std::int64_t>(slot_bytes()) : layout_.window_bytes;
  const std::int64_t words = core::ByteMask::words_for(bytes, layout_.mask_shift);
  return {reinterpret_cast<std::uint64_t*>(memory_->data() + parts_.masks) + words * slot,
          layout_.mask_shift};
}

void SlotMemory::clear_mask(int slot) const noexcept {
  if (layout_.masks) mask(slot).clear(layout_.window_bytes);
}

std::size_t SlotMemory::chunk_bytes() const noexcept {
  return up_to_page(memory_->bytes() / 64 + 1);  // a bit of a word each
}

std::uint64_t SlotMemory::chunks(std::size_t begin, std::size_t bytes) const noexcept {
  if (bytes == 0) return 0;
  const auto below = [](std::size_t chunk) { return (std::uint64_t{1} << chunk % 64) - 1; };
  const std::size_t first = begin / chunk_bytes(), last = (begin + bytes - 1) / chunk_bytes();
  return (below(last) | std::uint64_t{1} << last) & ~below(first);
}

std::uint64_t SlotMemory::chunks_of(const Room& room) const noexcept {
  return chunks(parts_.masks, std::min(room.masks, mask_part(size_.bytes))) |
         chunks(parts_.windows, std::min(room.windows, size_.bytes));
}

SlotMemory::Room SlotMemory::room_for(std::int64_t slots, std::int64_t window_bytes,
                                      int mask_shift) noexcept {
  Room room;
  room.windows = up_to_page(static_cast<std::size_t>(window_bytes)) * static_cast<std::size_t>(slots);
  if (mask_shift >= 0)
    room.masks = sizeof(std::uint64_t) *
                 static_cast<std::size_t>(core::ByteMask::words_for(window_bytes, mask_shift) * slots);
  return room;
}

bool SlotMemory::make_room(const Room& room, std::string& why) noexcept {
  const std::uint64_t lacking = chunks_of(room) & ~there_;
  if (lacking == 0) return true;
  // What is free before any rank makes its part: the first to come looks, for all.
  std::atomic<std::int64_t>& before =
      shared_.free_before[core::at(std::min(growths_++, Shared::most_growths - 1))];
  std::int64_t none = 0;
  before.compare_exchange_strong(none, SharedMemory::free_bytes() + 1);
  if (!SharedMemory::is_half(chunk_bytes() * static_cast<std::size_t>(std::popcount(lacking)), before - 1,
                             why))
    return false;
  int turn = 0;
  for (std::uint64_t left = lacking; left != 0; left &= left - 1) {
    if (turn++ % makers_.ranks != makers_.mine) continue;
    if (!memory_->make_pages(chunk_bytes() * static_cast<std::size_t>(std::countr_zero(left)), chunk_bytes(),
                             why))
      return false;
    mapped_ |= left & (~left + 1);
    shared_.mapped.fetch_or(left & (~left + 1), std::memory_order_relaxed);
  }
  return true;
}

std::size_t SlotMemory::bytes_there() const noexcept {
  const std::uint64_t windows = there_ & chunks(parts_.windows, size_.bytes);
  return std::min(size_.bytes, chunk_bytes() * static_cast<std::size_t>(std::popcount(windows)));
}

void SlotMemory::map_pages(int slot, std::int64_t bytes) noexcept {
  const auto from = static_cast<std::size_t>(data(slot) - memory_->data());
  std::uint64_t left = chunks(from, static_cast<std::size_t>(bytes)) & ~mapped_;
  mapped_ |= left;
  const std::uint64_t others = shared_.mapped.fetch_or(left, std::memory_order_relaxed);
  for (; left != 0; left &= left - 1)
    memory_->map_pages(chunk_bytes() * static_cast<std::size_t>(std::countr_zero(left)), chunk_bytes(),
                       (others & left & (~left + 1)) == 0);
}

}  // namespace collio::transport
