// See buffer_pool.hpp.
#include "transport/messages/buffer_pool.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "access/reserve.hpp"

namespace collio::transport {

constexpr std::size_t smallest_kept = 16 << 10;

Buffer BufferPool::allocate(std::size_t bytes) {
  ++allocations_;
  if (allocations_ >= fail_from_ && allocations_ < fail_to_) return Buffer::of_reserve(bytes);
  return Buffer(std::max<std::size_t>(bytes, 1));
}

void BufferPool::fail_allocations(int first, int count) noexcept {
  fail_from_ = allocations_ + first;
  fail_to_ = fail_from_ + count;
}

Buffer BufferPool::take_out(std::vector<Buffer>::iterator kept) {
  Buffer found = std::move(*kept);
  kept_bytes_ -= found.capacity();
  kept_.erase(kept);
  return found;
}

Buffer BufferPool::take(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  auto best = kept_.end();
  for (auto b = kept_.begin(); b != kept_.end(); ++b)
    if (b->capacity() >= bytes && (best == kept_.end() || b->capacity() < best->capacity())) best = b;
  const bool fits = best != kept_.end();
  if (!fits || best->capacity() / 4 > std::max(bytes, smallest_kept)) {
    // None fits: a kept one that is too small makes room, so that sizes that grow do not pile up.
    if (!fits && !kept_.empty()) {
      kept_bytes_ -= kept_.back().capacity();
      kept_.pop_back();
    }
    try {
      return allocate(bytes);
    } catch (const std::bad_alloc&) {
      if (!fits && kept_.empty()) throw;
    }
    if (!fits) {
      kept_.clear();
      kept_bytes_ = 0;
      return allocate(bytes);
    }
  }
  return take_out(best);
}

void BufferPool::give_back(Buffer&& buffer) {
  Buffer given = std::move(buffer);
  if (!given || access::Reserve::holds(given.data())) return;
  const std::lock_guard lock(mutex_);
  try {
    kept_.emplace_back();
  } catch (const std::bad_alloc&) {  // one less is kept
    return;
  }
  kept_bytes_ += given.capacity();
  kept_.back() = std::move(given);
  for (; kept_bytes_ > most_kept_bytes_; kept_.erase(kept_.begin())) kept_bytes_ -= kept_.front().capacity();
}

void BufferPool::trim(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  while (kept_bytes_ > bytes && !kept_.empty()) {
    kept_bytes_ -= kept_.back().capacity();
    kept_.pop_back();
  }
}

void BufferPool::take_over(BufferPool& other) {
  std::vector<Buffer> all;
  {
    const std::lock_guard lock(other.mutex_);
    all.swap(other.kept_);
    other.kept_bytes_ = 0;
  }
  const std::lock_guard lock(mutex_);
  for (Buffer& buffer : all) {
    const std::size_t bytes = buffer.capacity();
    if (kept_bytes_ + bytes > most_kept_bytes_) continue;
    try {
      kept_.push_back(std::move(buffer));
    } catch (const std::bad_alloc&) {  // one less is kept
      break;
    }
    kept_bytes_ += bytes;
  }
}

BufferPool& spare_buffers() {
  // Never destroyed: programs may close files from exit handlers. No memory of the heap: a call begins with
  // it.
  alignas(BufferPool) static std::byte place[sizeof(BufferPool)];
  static auto* pool = new (place) BufferPool;
  return *pool;
}

}  // namespace collio::transport
