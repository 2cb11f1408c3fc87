// What a rank does when it runs out of memory during a call: other ranks wait for its messages, and it must
// receive theirs.
//
// The rank sends every message that is due and receives every message that comes. Without memory for the
// pieces, a message goes without them, an answer has no bytes, and received pieces are dropped. The call
// fails in the closing agreement.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include "transport/messages/buffer_pool.hpp"

namespace collio::transport {

/// Of one call.
class Shortage {
 public:
  /// pieces were, or their data
  bool left_out = false;

  /// Room for one message on its way in. Had before the call's first message, and free again when that one is
  /// dealt with.
  void set_room(Buffer&& room) noexcept { room_ = std::move(room); }
  [[nodiscard]] Buffer take_room() noexcept { return std::move(room_); }

  /// A buffer for a message on its way in.
  struct Incoming {
    Buffer buffer;
    /// the room, to be given back
    bool borrowed = false;
  };
  /// The room, or else one of the pool's. Null: there is none before another message was dealt with. Throws
  /// std::bad_alloc when the message is longer than the room and there is no memory.
  [[nodiscard]] Incoming receive(BufferPool& pool, std::size_t bytes) {
    if (room_ && room_.capacity() >= bytes) {
      lent_ = true;
      return {std::move(room_), true};
    }
    try {
      return {pool.take(bytes), false};
    } catch (const std::bad_alloc&) {
      if (!lent_) throw;
      return {};
    }
  }
  void give_back(Buffer&& room) noexcept {
    lent_ = false;
    room_ = std::move(room);
  }

 private:
  Buffer room_;
  bool lent_ = false;
};

}  // namespace collio::transport
