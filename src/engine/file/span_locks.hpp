// Atomic mode of a file that collio alone serves: a call holds a lock on the span of its access, in the
// file's own offsets, while it moves its bytes.
//
// The lock is one of byte ranges of the placeholder, by which nobody reads or writes: it excludes ranks,
// processes and handles, as ROMIO's atomic mode does by locks of the file. Threads of one process share the
// open file description and so the lock; a mutex keeps them apart.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "core/extent.hpp"
#include "core/result.hpp"
#include "policy/plan/plan.hpp"
#include "storage/range_lock.hpp"
#include "storage/subfiles/files.hpp"

namespace collio::engine {

class SpanLocks {
 public:
  SpanLocks(const std::string& path, bool reads, bool writes);
  /// The file cannot be opened, or its file system has no such locks.
  [[nodiscard]] core::Error error() const;

  class Held {
   public:
    Held(SpanLocks& locks, const core::Extent& span, policy::Direction direction);
    [[nodiscard]] core::Error error() const;

   private:
    const std::string& path_;
    std::lock_guard<std::mutex> threads_;
    storage::RangeLock range_;
  };

 private:
  std::string path_;
  storage::OpenedFile file_;
  storage::RangeUse use_;
  std::mutex threads_;
};

}  // namespace collio::engine
