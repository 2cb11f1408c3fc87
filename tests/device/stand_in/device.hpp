// A device that is none: memory that the CPU cannot touch where the program sees it, and that the stand-in
// for its driver reaches by another mapping of the same pages. Any touch but the driver's ends the process by
// SIGSEGV.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "kinds.hpp"

namespace collio::test {

struct Allocation {
  std::byte* seen = nullptr;    ///< by the program
  std::byte* hidden = nullptr;  ///< by the driver
  std::size_t bytes = 0;
  Kind kind = Kind::device;
  int device = 0;
};

class Device {
 public:
  Allocation* allocate(std::size_t bytes, Kind kind, int device) {
    const std::scoped_lock lock(mutex_);
    const int fd = memfd_create("device", 0);
    if (fd < 0 || ftruncate(fd, static_cast<off_t>(bytes)) != 0) return nullptr;
    const bool out_of_reach = kind == Kind::device || kind == Kind::pool;
    auto one = std::make_unique<Allocation>();
    one->seen = static_cast<std::byte*>(
        mmap(nullptr, bytes, out_of_reach ? PROT_NONE : PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    one->hidden = static_cast<std::byte*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    one->bytes = bytes;
    one->kind = kind;
    one->device = device;
    close(fd);
    all_.push_back(std::move(one));
    return all_.back().get();
  }
  const Allocation* find(const void* address) {
    const std::scoped_lock lock(mutex_);
    const auto* at = static_cast<const std::byte*>(address);
    for (const auto& one : all_)
      if (at >= one->seen && at < one->seen + one->bytes) return one.get();
    return nullptr;
  }
  /// The driver's own address of `bytes` bytes; null: they are not in one allocation.
  std::byte* reach(const void* address, std::size_t bytes) {
    const Allocation* in = find(address);
    if (!in) return nullptr;
    const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(address) - in->seen);
    return offset + bytes <= in->bytes ? in->hidden + offset : nullptr;
  }
  void forget() {
    const std::scoped_lock lock(mutex_);
    for (const auto& one : all_) {
      munmap(one->seen, one->bytes);
      munmap(one->hidden, one->bytes);
    }
    all_.clear();
  }

  /// Copies from the `first` on fail; 0: none.
  void fail_from(int first) {
    const std::scoped_lock lock(mutex_);
    fail_from_ = first;
    copies_ = 0;
  }
  [[nodiscard]] int copies() const { return copies_; }
  /// Where the pointer is asked about.
  const Allocation* query(const void* address) {
    ++queries_;
    return find(address);
  }
  [[nodiscard]] int queries() const { return queries_; }
  bool next_copy_fails() {
    const std::scoped_lock lock(mutex_);
    ++copies_;
    return fail_from_ > 0 && copies_ >= fail_from_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Allocation>> all_;
  int copies_ = 0, fail_from_ = 0;
  std::atomic<int> queries_{0};
};

inline Device& device() {
  static Device one;
  return one;
}

/// Rows of a copy in two dimensions.
struct Rows {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::size_t to_pitch = 0, from_pitch = 0, width = 0, height = 0;
};
inline void copy_rows(const Rows& r) {
  for (std::size_t i = 0; i < r.height; ++i)
    std::memcpy(r.to + i * r.to_pitch, r.from + i * r.from_pitch, r.width);
}
/// The bytes from a row's first to the last row's last.
inline std::size_t reach_of(std::size_t pitch, std::size_t width, std::size_t height) {
  return (height - 1) * pitch + width;
}

}  // namespace collio::test

// What the test programs ask of a stand-in, beside the driver's functions.
extern "C" {
void* stand_in_allocate(std::size_t bytes, int kind);
void* stand_in_hidden(const void* address);
void stand_in_forget();
void stand_in_fail_from(int first);
int stand_in_copies();
/// How often pointers were asked about.
int stand_in_queries();
/// Initializes the driver for the calling thread.
void stand_in_begin();
/// The calling thread's current context or device.
std::intptr_t stand_in_current();
}
