// Message and collective buffers, kept from round to round and call to call.
//
// Fresh memory costs a page fault per 4 KiB, which is as dear as copying it; a pool pays once. A file has a
// pool while a collective call on it is under way; between calls its buffers are in the process's one pool,
// where other files find them. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <vector>

#include "access/buffer.hpp"

namespace collio::transport {

using access::Buffer;

class BufferPool {
 public:
  /// A buffer of at least `bytes` bytes: the smallest kept one that fits and is not much larger, else a new
  /// one; where there is no memory for that, any kept one that fits, or one made of the kept ones' memory.
  /// Throws std::bad_alloc when there is none of these.
  [[nodiscard]] Buffer take(std::size_t bytes);
  /// Keeps no more than `bytes` bytes from now on.
  void keep_at_most(std::size_t bytes) noexcept { most_kept_bytes_ = bytes; }
  /// A drill: `count` new buffers from number `first` on are refused (the first is 1). The reserve still
  /// gives.
  void fail_allocations(int first, int count) noexcept;
  void give_back(Buffer&& buffer);
  /// Frees kept buffers until at most `bytes` bytes are kept.
  void trim(std::size_t bytes);
  /// Keeps what `other` keeps, which has nothing then. Frees what is too much for this pool.
  void take_over(BufferPool& other);

 private:
  [[nodiscard]] Buffer allocate(std::size_t bytes);
  [[nodiscard]] Buffer take_out(std::vector<Buffer>::iterator kept);
  std::mutex mutex_;
  std::vector<Buffer> kept_;
  std::size_t kept_bytes_ = 0, most_kept_bytes_ = std::numeric_limits<std::size_t>::max();
  int allocations_ = 0, fail_from_ = 0, fail_to_ = 0;
};

/// The process's: what no collective call has in use. Independent calls use it directly.
[[nodiscard]] BufferPool& spare_buffers();

}  // namespace collio::transport
