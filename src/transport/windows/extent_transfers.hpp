// Extents of a window on their way to or from the file, several at a time.
#pragma once

#include <deque>
#include <optional>

#include "core/packed_extents.hpp"
#include "storage/storage.hpp"

namespace collio::transport {

/// A stretch of the file and the buffer it goes from or comes to.
struct WindowSpan {
  core::Extent extent;
  /// of the extent's first byte
  std::byte* data = nullptr;
  [[nodiscard]] std::byte* at(std::int64_t offset) const noexcept { return data + (offset - extent.offset); }
};

/// Takes extents in ascending order and books their results in that order, up to the first that was short
/// or failed: what comes after that does not count, and is not begun any more.
class ExtentTransfers {
 public:
  enum Direction { write, read };

  /// The whole span, as one transfer.
  void start(storage::Storage& file, Direction direction, const WindowSpan& span);
  /// Only `pieces` of it (disjoint, ascending).
  void start(storage::Storage& file, Direction direction, const WindowSpan& span, core::PackedExtents pieces);
  /// Books what is done and starts what may. True: all is over.
  bool advance();
  /// Waits until all is over.
  void finish();
  /// True when nothing is under way or left to start.
  [[nodiscard]] bool over() const noexcept { return under_way_.empty() && (ended_ || left_ == 0); }
  /// The result, from the start of the span. Once over.
  [[nodiscard]] storage::Transfer take() noexcept { return std::move(result_); }

 private:
  struct UnderWay {
    core::Extent extent;
    storage::Ticket ticket;
  };

  void begin(storage::Storage& file, Direction direction, const WindowSpan& span);
  core::Extent next_extent();
  void start_some();
  void book_first();

  storage::Storage* file_ = nullptr;
  Direction direction_ = write;
  WindowSpan span_;
  core::PackedExtents pieces_;
  /// none: the whole span
  std::optional<core::PackedReader> reader_;
  /// not begun yet
  core::Run run_;
  /// extents not begun yet
  std::int64_t left_ = 0;
  /// one was short or failed
  bool ended_ = false;
  std::deque<UnderWay> under_way_;
  storage::Transfer result_;
};

}  // namespace collio::transport
