// What travels between a rank and an aggregator in one round: header, piece descriptions, data.
//
// A message describes itself: which round it belongs to, in which round the next one from the same rank will
// come (so an aggregator knows whom to expect without asking), which pieces, and their contribution to the
// tiling check. Requests for a read are the same without data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/packed_extents.hpp"
#include "core/tiling.hpp"

namespace collio::transport {

inline constexpr std::int64_t no_round = -1;

struct MessageHeader {
  std::int64_t round = 0;
  std::int64_t next_round = no_round;
  /// packed items that follow
  std::int64_t items = 0;
  std::int64_t pieces = 0;
  /// encoded length of the items, slack included
  std::int64_t extents_bytes = 0;
  /// first to last byte of the pieces
  core::Extent span;
  /// sum.bytes: data bytes
  core::TilingSum sum;
  /// format of the items
  std::int32_t shift = 0;
  /// sending rank
  std::int32_t source = 0;
  /// file domain the pieces lie in
  std::int32_t domain = 0;
  /// the sending rank's
  std::int32_t source_node = 0;
  /// each with its list (message_parts.hpp), in extents_bytes with data; 0: one list
  std::int64_t parts = 0;

  [[nodiscard]] std::int64_t data_bytes() const noexcept { return sum.bytes; }
  /// No pieces, as there is no memory for them: the message itself is due.
  void leave_out() noexcept {
    items = pieces = extents_bytes = parts = 0;
    span = {};
    sum = {};
  }
};

/// A message in memory: pointers into a receive buffer, or into the sender's own memory.
struct MessageView {
  MessageHeader header;
  const std::uint8_t* extents = nullptr;
  const std::byte* data = nullptr;

  [[nodiscard]] core::PackedReader reader() const noexcept {
    return {extents, {header.shift, false}, header.span.offset};
  }
};

/// Bytes of a message with `extents_bytes` of descriptions and `data_bytes` of data.
[[nodiscard]] constexpr std::size_t message_bytes(std::int64_t extents_bytes,
                                                  std::int64_t data_bytes) noexcept {
  return sizeof(MessageHeader) + static_cast<std::size_t>(extents_bytes + data_bytes);
}

/// Reads a message at `bytes`: header, descriptions, data.
[[nodiscard]] inline MessageView view_message(const std::byte* bytes) noexcept {
  MessageView view;
  std::memcpy(&view.header, bytes, sizeof(MessageHeader));
  view.extents = reinterpret_cast<const std::uint8_t*>(bytes + sizeof(MessageHeader));
  view.data = bytes + sizeof(MessageHeader) + view.header.extents_bytes;
  return view;
}

}  // namespace collio::transport
