// The layout that one process writes the subfiles of a file by while it may change, and what it has written.
//
// Where a new layout deals stripes anew from some point on, nobody may have written behind that point, or be
// about to by the old one. So writes ask for the layout here, and the end of each is kept.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include "core/extent.hpp"
#include "storage/subfiles/layout.hpp"
#include "storage/subfiles/write_times.hpp"

namespace collio::storage {

/// Thread-safe.
class LayoutInForce {
 public:
  using Layout = std::shared_ptr<const SubfileLayout>;
  explicit LayoutInForce(SubfileLayout layout);

  [[nodiscard]] Layout now() const;
  /// The same; waits while somebody has a Hold, when the subfiles' lengths are of neither layout.
  [[nodiscard]] Layout settled() const;
  /// For a write of `extent`, which counts as written from now on. Waits while somebody has a Hold.
  [[nodiscard]] Layout for_write(const core::Extent& extent);
  /// End of the bytes written so far.
  [[nodiscard]] std::int64_t written_end() const;
  [[nodiscard]] WriteTimes& times() noexcept { return times_; }

  /// While it lives no write begins in this process. Not for one of the threads that writes need to go on.
  class Hold {
   public:
    explicit Hold(LayoutInForce& held);
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    void replace(SubfileLayout layout);

   private:
    LayoutInForce& held_;
  };

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable let_go_;
  bool held_ = false;
  Layout layout_;
  std::int64_t written_end_ = 0;
  WriteTimes times_;
};

}  // namespace collio::storage
