// Byte-range locks of a file, owned by the open file description (F_OFD_SETLKW): they exclude other processes
// and other handles of this one, and POSIX locks, which MPI libraries take.
#pragma once

#include "core/extent.hpp"

namespace collio::storage {

enum class RangeUse { read, write };

/// Of the locked pages, in this client's cache, when the lock is given up. A client of NFS takes what others
/// wrote to a page while its own write was under way for its own, and would show old bytes until the page
/// leaves its cache.
enum class PagesAfter { kept, dropped };

/// Holds a lock on an extent while it lives. A holder waits for nothing but its own transfers: then no ring
/// of ranks that wait for each other's locks can form.
class RangeLock {
 public:
  /// Waits for the lock. `fd` is open for the use.
  RangeLock(int fd, const core::Extent& extent, RangeUse use, PagesAfter pages = PagesAfter::kept) noexcept;
  /// Does not wait: error() is EAGAIN or EACCES where another holds it.
  [[nodiscard]] static RangeLock at_once(int fd, const core::Extent& extent, RangeUse use) noexcept;
  ~RangeLock();
  RangeLock(const RangeLock&) = delete;
  RangeLock& operator=(const RangeLock&) = delete;
  /// The lock held becomes one for this use, if no other is in the way; does not wait. errno or 0: what it is
  /// otherwise. `fd` is open for the use.
  int change(RangeUse use) noexcept;
  /// 0, or errno of the call that failed: nothing is locked.
  [[nodiscard]] int error() const noexcept { return error_; }

 private:
  RangeLock(int fd, int command, const core::Extent& extent, RangeUse use) noexcept;

  int fd_;
  core::Extent extent_;
  PagesAfter pages_;
  int error_;
};

/// Whether the file system has such locks: 0, or errno. Does not wait.
[[nodiscard]] int try_range_lock(int fd, RangeUse use) noexcept;

}  // namespace collio::storage
