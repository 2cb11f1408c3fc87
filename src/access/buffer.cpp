// See buffer.hpp.
#include "access/buffer.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "access/reserve.hpp"

namespace collio::access {

namespace {

constexpr std::size_t huge_page = 2 << 20;
constexpr std::size_t grain = 16 << 10;  // sizes are rounded up, so that rounds of similar size share buffers

std::atomic<std::size_t> live{0}, peak{0};

void count_in(std::size_t bytes) noexcept {
  const std::size_t now = live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::size_t most = peak.load(std::memory_order_relaxed);
  while (most < now && !peak.compare_exchange_weak(most, now, std::memory_order_relaxed)) {}
}

}  // namespace

std::size_t Buffer::take_peak() noexcept {
  return peak.exchange(live.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

Buffer::Buffer(std::size_t bytes) : capacity_((bytes + grain - 1) / grain * grain) {
  const bool huge = capacity_ >= huge_page;
  void* p = nullptr;
  if (::posix_memalign(&p, huge ? huge_page : 4096, capacity_) != 0) {
    *this = of_reserve(bytes);
    return;
  }
#ifdef MADV_HUGEPAGE
  if (huge) ::madvise(p, capacity_ / huge_page * huge_page, MADV_HUGEPAGE);
#endif
  bytes_ = std::unique_ptr<std::byte[], Free>(static_cast<std::byte*>(p), Free(capacity_));
  count_in(capacity_);
}

Buffer Buffer::of_reserve(std::size_t bytes) {
  void* p = bytes <= small ? Reserve::take(bytes) : nullptr;
  if (!p) throw std::bad_alloc();
  Buffer buffer;
  buffer.capacity_ = bytes;
  buffer.bytes_ = std::unique_ptr<std::byte[], Free>(static_cast<std::byte*>(p), Free(bytes));
  count_in(bytes);
  return buffer;
}

void Buffer::Free::operator()(std::byte* p) const noexcept {
  live.fetch_sub(capacity, std::memory_order_relaxed);
  if (Reserve::holds(p))
    Reserve::give_back(p);
  else
    std::free(p);
}

}  // namespace collio::access
