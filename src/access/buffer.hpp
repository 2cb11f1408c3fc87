// Uninitialised memory for large arrays and messages.
//
// Fresh memory costs a page fault per 4 KiB, which is as dear as copying it: buffers of 2 MiB and more ask
// for huge pages, and nothing is zeroed that will be written anyway.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace collio::access {

/// Uninitialised bytes, page-aligned unless they are of the reserve (access/reserve.hpp). Move-only.
class Buffer {
 public:
  /// Bytes that the reserve gives where there is no memory: a message with only its header.
  static constexpr std::size_t small = 1 << 10;
  Buffer() = default;
  /// Room for `bytes` bytes. Throws std::bad_alloc.
  explicit Buffer(std::size_t bytes);
  /// The same, as when there is no other memory.
  [[nodiscard]] static Buffer of_reserve(std::size_t bytes);
  [[nodiscard]] std::byte* data() const noexcept { return bytes_.get(); }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  explicit operator bool() const noexcept { return bytes_ != nullptr; }

  /// Most bytes that buffers of this process had together since this was asked last. Thread-safe.
  static std::size_t take_peak() noexcept;

 private:
  struct Free {
    Free() noexcept : capacity(0) {}
    explicit Free(std::size_t bytes) noexcept : capacity(bytes) {}
    void operator()(std::byte* p) const noexcept;
    std::size_t capacity;
  };
  std::unique_ptr<std::byte[], Free> bytes_;
  std::size_t capacity_ = 0;
};

/// An array of `T`, uninitialised, in a Buffer of its own.
template <class T>
class RawArray {
 public:
  RawArray() = default;
  explicit RawArray(std::size_t size)
      : buffer_(size > 0 ? Buffer(size * sizeof(T)) : Buffer()), size_(size) {}
  [[nodiscard]] T* data() const noexcept { return reinterpret_cast<T*>(buffer_.data()); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data()[i]; }

 private:
  Buffer buffer_;
  std::size_t size_ = 0;
};

}  // namespace collio::access
