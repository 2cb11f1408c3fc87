// Slots between calls: who keeps them, and how the ranks of a node come by some. See node_slots.hpp.
#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <new>

#include "transport/node_memory/node_slots.hpp"

namespace collio::transport {

namespace {

std::mutex kept_mutex;
/// last given back first
std::deque<std::unique_ptr<NodeSlots>> kept;
constexpr std::size_t most_kept = 2;

std::atomic<std::int64_t> through{0};

template <class Fits>
std::unique_ptr<NodeSlots> take_out(Fits&& fits) {
  const std::lock_guard lock(kept_mutex);
  const auto found = std::ranges::find_if(kept, fits);
  if (found == kept.end()) return nullptr;
  std::unique_ptr<NodeSlots> slots = std::move(*found);
  kept.erase(found);
  return slots;
}

/// What the first rank tells the others.
struct Offer {
  /// of no key: there is none
  SharedMemory::Name name;
  bool kept = false;
};

}  // namespace

std::int64_t NodeSlots::bytes_through() noexcept { return through; }

void NodeSlots::count_through(std::int64_t bytes) noexcept { through += bytes; }

void NodeSlots::give_back(std::unique_ptr<NodeSlots> slots) {
  if (!slots) return;
  const std::lock_guard lock(kept_mutex);
  try {
    kept.emplace_front();
  } catch (const std::bad_alloc&) {  // no rank of the node takes them again, as one lacks them
    return;
  }
  kept.front() = std::move(slots);
  if (kept.size() > most_kept) kept.pop_back();
}

std::unique_ptr<NodeSlots> NodeSlots::take_back(const SharedMemory::Name& name) {
  return take_out([&](const auto& s) { return s->memory.name() == name; });
}

/// Kept slots are nobody's to read or write: a call takes them only if all ranks have kept them.
void NodeSlots::discard_kept() {
  std::deque<std::unique_ptr<NodeSlots>> all;
  {
    const std::lock_guard lock(kept_mutex);
    all.swap(kept);
  }
  for (const auto& slots : all) slots->memory.discard();
}

// The first rank names slots it has kept, or makes some. When as many ranks as made kept slots have them,
// they are the same ranks. The candidate is taken out first: another thread may be agreeing with other ranks
// at the same time.
std::unique_ptr<NodeSlots> NodeSlots::obtain_from(From from, const NodeTalk& talk, const Wanted& wanted,
                                                  std::string& why) {
  why.clear();
  int rank = 0, ranks = 1;
  MPI_Comm_rank(talk.node, &rank);
  MPI_Comm_size(talk.node, &ranks);
  const Size& size = wanted.size;
  const SlotMemory::Parts parts = parts_for(size);
  const auto slots_on = [&](std::unique_ptr<SharedMemory> shared) {
    const Makers makers{rank, ranks};
    return shared ? std::make_unique<NodeSlots>(std::move(shared), size, makers) : nullptr;
  };
  const auto fits = [&](const auto& s) {  // not much larger: a file may have a limit
    const SlotMemory& there = s->memory;
    return there.ranks() == ranks && there.size().several_nodes == size.several_nodes &&
           there.bytes() >= size.bytes && there.bytes() <= size.bytes + size.bytes / 4;
  };
  std::unique_ptr<NodeSlots> mine;
  Offer offer;
  ObjectDoor door;
  if (rank == 0) {
    if (from == From::kept_too) mine = take_out(fits);
    offer.kept = mine != nullptr;
    const std::size_t at_once = size.several_nodes ? parts.end : parts.masks;
    if (!mine) mine = slots_on(SharedMemory::create_alone({parts.end, at_once, wanted.pages}, door, why));
    if (mine) offer.name = mine->memory.name();
  }
  // Without slots the first rank broadcasts all the same: the others wait for its offer.
  talk.broadcast(std::as_writable_bytes(std::span(&offer, 1)));
  if (offer.name.key == 0) return nullptr;
  if (rank != 0)
    mine = offer.kept ? take_back(offer.name) : slots_on(SharedMemory::join(offer.name, parts.end, why));
  const bool everywhere = talk.all_true(mine && mine->memory.make_room(wanted.room, why));
  door.close();  // the memory lives on in the mappings
  if (!everywhere) {
    if (offer.kept) give_back(std::move(mine));
    return nullptr;
  }
  mine->memory.set_room(wanted.room);
  return mine;
}

std::unique_ptr<NodeSlots> NodeSlots::obtain(const NodeTalk& talk, const Wanted& wanted, std::string& why) {
  if (auto slots = obtain_from(From::kept_too, talk, wanted, why)) return slots;
  // Not all have kept what the first rank has, or there is no room.
  if (auto slots = obtain_from(From::fresh, talk, wanted, why)) return slots;
  discard_kept();
  static_cast<void>(talk.all_true(true));  // when all ranks have discarded theirs
  return obtain_from(From::fresh, talk, wanted, why);
}

}  // namespace collio::transport
