// Messages in parts: the pieces of several ranks, each with its own list, one part after the other.
//
// A part is its head, the list, and in a write the data. Lists count from the window's first byte.
#pragma once

#include "core/packed_extents.hpp"
#include "transport/messages/message.hpp"

namespace collio::transport {

/// A message has fewer than 2^31 bytes.
struct PartHead {
  std::int32_t items = 0;
  /// encoded, without slack
  std::int32_t list_bytes = 0;
  std::int32_t data_bytes = 0;
  /// of a request: where in the answer its data goes
  std::int32_t answer_at = 0;
};

/// Pieces as a message has them, in one part or several.
struct MessagePart {
  core::PackedReader reader;
  std::int64_t items = 0;
  /// of a write
  const std::byte* data = nullptr;
  /// of a request
  std::int64_t answer_at = 0;
};

/// each(MessagePart) for all parts of a message. `window_offset`: file offset of the window's first byte;
/// `with_data`: false for requests.
template <class Each>
void for_each_part(const MessageView& view, std::int64_t window_offset, bool with_data, Each&& each) {
  const MessageHeader& h = view.header;
  if (h.parts == 0) return each(MessagePart{view.reader(), h.items, view.data, 0});
  const std::uint8_t* at = view.extents;
  for (std::int64_t i = 0; i < h.parts; ++i) {
    PartHead head;
    std::memcpy(&head, at, sizeof head);
    at += sizeof head;
    const std::uint8_t* const list = at;
    at += head.list_bytes;
    each(MessagePart{{list, {h.shift, false}, window_offset},
                     head.items,
                     reinterpret_cast<const std::byte*>(at),
                     head.answer_at});
    if (with_data) at += head.data_bytes;
  }
}

}  // namespace collio::transport
