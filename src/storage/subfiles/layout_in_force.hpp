// The layout that one process writes the subfiles of a file by while it may change, what it has written, and
// how long that took.
//
// Where a new layout deals stripes anew from some point on, nobody may have written behind that point, or be
// about to by the old one. So writes ask for the layout here, and the end of each is kept.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/extent.hpp"
#include "storage/subfiles/layout.hpp"

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

  /// While it lives no write begins in this process. Not for one of the threads that writes need to go on.
  class Hold {
   public:
    explicit Hold(LayoutInForce& held);
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    /// End of the bytes written so far.
    [[nodiscard]] std::int64_t written_end() const;
    void replace(SubfileLayout layout);

   private:
    LayoutInForce& held_;
  };

  /// A write of `bytes` bytes to a subfile took `seconds`; 0: that is not known. Short ones do not count:
  /// they tell of a server's latency.
  void note(std::int64_t subfile, std::int64_t bytes, double seconds);
  /// Of all subfiles the bytes of the writes whose time is known, since the last call of this, then their
  /// nanoseconds.
  [[nodiscard]] std::vector<std::int64_t> take_times();

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable let_go_;
  bool held_ = false;
  Layout layout_;
  std::int64_t written_end_ = 0;
  std::vector<std::int64_t> times_;
};

}  // namespace collio::storage
