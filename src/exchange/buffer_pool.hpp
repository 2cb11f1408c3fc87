// Message and collective buffers, kept from round to round and call to call.
//
// Fresh memory costs a page fault per 4 KiB, which is as dear as copying it; a pool pays once. One pool
// per open file and rank. Thread-safe: an independent call may come while a collective one is under way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "access/buffer.hpp"

namespace collio::exchange {

using access::Buffer;

class BufferPool {
 public:
  /// A buffer of at least `bytes` bytes: the smallest kept one that fits, else a new one.
  [[nodiscard]] Buffer take(std::size_t bytes);
  void give_back(Buffer&& buffer);
  /// Frees kept buffers until at most `bytes` bytes are kept.
  void trim(std::size_t bytes);

 private:
  std::mutex mutex_;
  std::vector<Buffer> kept_;
  std::size_t kept_bytes_ = 0;
};

}  // namespace collio::exchange
