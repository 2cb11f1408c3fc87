// One window of an aggregator's file domain: the collective buffer of a round.
//
// Write: pieces are placed as messages arrive; when all are in, the window is written whole if they tile
// it, else piece by piece or by read-modify-write, whichever costs less.
// Read: requests are kept until all are in, the bytes they name are read once, and every request is answered.
// Either is started, looked after and finished, as the storage's transfers are.
#pragma once

#include <optional>
#include <vector>

#include "core/merge.hpp"
#include "transport/messages/message.hpp"
#include "transport/windows/window_io.hpp"

namespace collio::transport {

class CollectiveBuffer {
 public:
  /// `bytes`: length of the longest window of the call. `memory`: room for it, which outlives the window;
  /// null: the window has its own.
  CollectiveBuffer(MessageLink link, WindowStorage storage, std::int64_t bytes, std::byte* memory = nullptr);
  ~CollectiveBuffer();
  CollectiveBuffer(const CollectiveBuffer&) = delete;
  CollectiveBuffer& operator=(const CollectiveBuffer&) = delete;

  /// Begins a round on window `extent`.
  void open(const core::Extent& extent);
  /// Write: copies the message's data to its places and keeps its descriptions, or drops it where there is no
  /// memory for those. O(pieces).
  void place(const MessageView& message);
  /// Keeps the descriptions of pieces: read, of a request; write, of pieces whose data others put in place.
  /// False: there is no memory.
  bool expect(const MessageView& message);
  /// Write: everything placed goes to the file from now on.
  void start_write();

  /// Read: what all requests want comes from the file from now on.
  void start_read();
  /// Moves on what was started. True: it is over.
  bool advance();
  /// Waits for what was started. The transfer counts from the start of the window's span.
  [[nodiscard]] storage::Transfer finish();
  /// Read: bytes of `request` that lie before the end of the file, to be sent by collect().
  [[nodiscard]] std::int64_t available(const MessageView& request) const;
  /// Read: copies the first `bytes` bytes of a request to `out`.
  void collect(const MessageView& request, std::int64_t bytes, std::byte* out) const;

  /// Where the window's first byte lies.
  [[nodiscard]] const std::byte* memory() const noexcept { return memory_; }
  /// First to last byte of all pieces of the round.
  [[nodiscard]] const core::Extent& span() const noexcept { return span_; }

 private:
  struct KeptMessage {
    MessageHeader header;
    std::vector<std::uint8_t> extents;
  };

  bool keep(const MessageView& message);
  [[nodiscard]] std::optional<core::PackedExtents> all_pieces() const;
  [[nodiscard]] std::vector<core::SortedList> lists() const;
  [[nodiscard]] std::byte* at(std::int64_t offset) const noexcept {
    return memory_ + (offset - extent_.offset);
  }
  enum class Activity { none, writing, reading, no_memory };
  /// True when there is something to move and a file to move it to or from; else finish() says what is wrong.
  [[nodiscard]] bool can_start() const noexcept { return pieces_ > 0 && storage_.file; }

  MessageLink link_;
  WindowStorage storage_;
  Buffer own_;
  std::byte* memory_;
  core::Extent extent_;
  core::Extent span_;
  core::TilingSum sum_;
  std::int64_t pieces_ = 0;
  std::int64_t end_of_file_ = 0;
  std::vector<KeptMessage> kept_;
  Activity activity_ = Activity::none;
  WindowWrite write_;
  ExtentTransfers read_;
};

}  // namespace collio::transport
