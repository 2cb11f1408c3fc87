// See buffer_pool.hpp.
#include "exchange/buffer_pool.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

namespace collio::exchange {

namespace {

constexpr std::size_t huge_page = 2 << 20;
constexpr std::size_t grain = 16 << 10;  // sizes are rounded up, so that rounds of similar size share buffers

}  // namespace

Buffer::Buffer(std::size_t bytes) : capacity_((bytes + grain - 1) / grain * grain) {
  const bool huge = capacity_ >= huge_page;
  void* p = nullptr;
  if (::posix_memalign(&p, huge ? huge_page : 4096, capacity_) != 0) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  if (huge) ::madvise(p, capacity_ / huge_page * huge_page, MADV_HUGEPAGE);
#endif
  bytes_.reset(static_cast<std::byte*>(p));
}

void Buffer::Free::operator()(std::byte* p) const noexcept { std::free(p); }

Buffer BufferPool::take(std::size_t bytes) {
  auto best = kept_.end();
  for (auto b = kept_.begin(); b != kept_.end(); ++b)
    if (b->capacity() >= bytes && (best == kept_.end() || b->capacity() < best->capacity())) best = b;
  if (best == kept_.end() || best->capacity() / 4 > std::max(bytes, grain)) {
    // None fits: a kept one that is too small makes room, so that sizes that grow do not pile up.
    if (best == kept_.end() && !kept_.empty()) {
      kept_bytes_ -= kept_.back().capacity();
      kept_.pop_back();
    }
    return Buffer(std::max<std::size_t>(bytes, 1));
  }
  Buffer found = std::move(*best);
  kept_bytes_ -= found.capacity();
  kept_.erase(best);
  return found;
}

void BufferPool::give_back(Buffer&& buffer) {
  if (!buffer) return;
  kept_bytes_ += buffer.capacity();
  kept_.push_back(std::move(buffer));
}

void BufferPool::trim(std::size_t bytes) {
  while (kept_bytes_ > bytes && !kept_.empty()) {
    kept_bytes_ -= kept_.back().capacity();
    kept_.pop_back();
  }
}

}  // namespace collio::exchange
