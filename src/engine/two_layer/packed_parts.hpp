// Pieces of a node's ranks that are packed into slots on their way to another node (flow/packed_room.hpp).
//
// Each rank has a part of the room: head, list, and at the part's end the bytes. What a list does not fill of
// its part does not travel.
#pragma once

#include "engine/two_layer/node_windows.hpp"
#include "flow/packed_room.hpp"
#include "transport/messages/message_parts.hpp"

namespace collio::engine {

/// In a slot, before a rank's list.
struct PackedPart {
  /// of the part
  std::int64_t room = 0;
  transport::PartHead head;
};
static_assert(sizeof(PackedPart) == flow::part_head_bytes);

/// All that ranks have packed for a window.
class PackedParts {
 public:
  /// When all ranks have come to the window. `with_data`: a write.
  PackedParts(const transport::NodeSlots& slots, const NodeWindow& window, bool with_data) noexcept
      : begin_(slots.memory.data(window.slot)),
        end_(begin_ + slots.books.room_taken(window.slot)),
        with_data_(with_data) {}

  /// Says in the header of a message what it consists of.
  void describe(transport::MessageHeader& header) const noexcept;
  /// Copies all parts to `out`, one after the other.
  void copy(std::byte* out) const noexcept;

 private:
  template <class Each>
  void for_each(Each&& each) const {
    PackedPart part;
    for (const std::byte* at = begin_; at < end_; at += part.room) {
      std::memcpy(&part, at, sizeof part);
      if (part.head.items > 0) each(part, at);
    }
  }
  const std::byte* begin_;
  const std::byte* end_;
  bool with_data_;
};

}  // namespace collio::engine
