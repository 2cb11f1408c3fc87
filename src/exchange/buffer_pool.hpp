// Message and collective buffers, kept from round to round and call to call.
//
// Fresh memory costs a page fault per 4 KiB, which is as dear as copying it; a pool pays once. Buffers of
// 2 MiB and more ask for huge pages. Not thread-safe: one pool per open file and rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace collio::exchange {

/// Uninitialised bytes. Move-only.
class Buffer {
 public:
  Buffer() = default;
  /// Room for `bytes` bytes. Throws std::bad_alloc.
  explicit Buffer(std::size_t bytes);
  [[nodiscard]] std::byte* data() const noexcept { return bytes_.get(); }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  explicit operator bool() const noexcept { return bytes_ != nullptr; }

 private:
  struct Free {
    void operator()(std::byte* p) const noexcept;
  };
  std::unique_ptr<std::byte[], Free> bytes_;
  std::size_t capacity_ = 0;
};

class BufferPool {
 public:
  /// A buffer of at least `bytes` bytes: the smallest kept one that fits, else a new one.
  [[nodiscard]] Buffer take(std::size_t bytes);
  void give_back(Buffer&& buffer);
  /// Frees kept buffers until at most `bytes` bytes are kept.
  void trim(std::size_t bytes);

 private:
  std::vector<Buffer> kept_;
  std::size_t kept_bytes_ = 0;
};

}  // namespace collio::exchange
