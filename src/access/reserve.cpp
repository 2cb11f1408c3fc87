// See reserve.hpp. A list of free blocks for each length, which is a power of two; new ones are cut off the
// rest. When all have come back, nothing is cut.
#include "access/reserve.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <functional>
#include <mutex>
#include <new>

#include "core/index.hpp"

namespace collio::access {

namespace {

constexpr std::size_t head_bytes = 16;
constexpr int lengths = std::bit_width(Reserve::bytes / Reserve::smallest_block);

/// Before each block.
struct Head {
  /// of the free ones
  Head* next;
  /// number of the list
  int length;
};
static_assert(sizeof(Head) <= head_bytes);

alignas(head_bytes) std::byte place[Reserve::bytes];
constinit std::atomic<int> users{0};
thread_local int abstains = 0;
constinit std::mutex mutex;
constinit std::array<Head*, lengths> unused{};
/// bytes of the place
constinit std::size_t cut = 0;
/// blocks
constinit std::size_t taken = 0;

}  // namespace

Reserve::Use::Use() noexcept { ++users; }
Reserve::Use::~Use() { --users; }

Reserve::Abstain::Abstain() noexcept { ++abstains; }
Reserve::Abstain::~Abstain() { --abstains; }

void* Reserve::take(std::size_t wanted) noexcept {
  if (users == 0 || abstains > 0 || wanted > bytes - head_bytes) return nullptr;
  const std::size_t whole = std::bit_ceil(std::max(wanted + head_bytes, smallest_block));
  const int length = std::countr_zero(whole / smallest_block);
  const std::lock_guard lock(mutex);
  Head*& first = unused[core::at(length)];
  Head* head = first;
  if (head) {
    first = head->next;
  } else {
    if (whole > bytes - cut) return nullptr;
    head = new (place + cut) Head{nullptr, length};
    cut += whole;
  }
  ++taken;
  return reinterpret_cast<std::byte*>(head) + head_bytes;
}

bool Reserve::holds(const void* block) noexcept {
  const std::less<const void*> before;
  return !before(block, place) && before(block, place + bytes);
}

void Reserve::give_back(void* block) noexcept {
  auto* head = reinterpret_cast<Head*>(static_cast<std::byte*>(block) - head_bytes);
  const std::lock_guard lock(mutex);
  Head*& first = unused[core::at(head->length)];
  head->next = first;
  first = head;
  if (--taken > 0) return;
  unused = {};
  cut = 0;
}

}  // namespace collio::access
