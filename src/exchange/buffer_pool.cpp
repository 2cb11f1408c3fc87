// See buffer_pool.hpp.
#include "exchange/buffer_pool.hpp"

#include <algorithm>
#include <utility>

namespace collio::exchange {

constexpr std::size_t smallest_kept = 16 << 10;

Buffer BufferPool::take(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  auto best = kept_.end();
  for (auto b = kept_.begin(); b != kept_.end(); ++b)
    if (b->capacity() >= bytes && (best == kept_.end() || b->capacity() < best->capacity())) best = b;
  if (best == kept_.end() || best->capacity() / 4 > std::max(bytes, smallest_kept)) {
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
  const std::lock_guard lock(mutex_);
  kept_bytes_ += buffer.capacity();
  kept_.push_back(std::move(buffer));
}

void BufferPool::trim(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  while (kept_bytes_ > bytes && !kept_.empty()) {
    kept_bytes_ -= kept_.back().capacity();
    kept_.pop_back();
  }
}

}  // namespace collio::exchange
