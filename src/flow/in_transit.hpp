// How far the ranks of a node may run ahead of receivers: messages that are on their way to other nodes.
//
// A message leaves its slot when it is packed. It is on its way until its receiver takes it, which a receiver
// inside a storage call does late. Two bounds hold what waits then. The messages of a node's earlier batches
// have as many bytes together as its transit slots, or a batch has to wait; so a node has at most about twice
// its transit slots in messages. And a rank has two messages for a domain at most.
//
// Only earlier batches count: a rank waits for messages of windows before its own, never for later ones,
// which may wait for it in turn (flow/window_order.hpp). At most as many batches as there are groups of slots
// are under way at a time (SlotGroups::in_turn), so later ones are near.
#pragma once

#include <array>
#include <cstdint>

namespace collio::flow {

struct InTransit {
  /// counted apart; further ones share a number
  static constexpr int batches = 64;
  static constexpr int most_of_a_domain = 2;

  /// of the node's transit slots
  std::int64_t room_bytes = 0;
  /// of transit slots
  int groups = 1;

  [[nodiscard]] static constexpr std::size_t place(std::int64_t batch) noexcept {
    return static_cast<std::size_t>(batch % batches);
  }
  /// Whether messages of the batch may follow those on their way. `by_batch`: bytes of the node's messages,
  /// by place().
  template <class Bytes>
  [[nodiscard]] bool has_room(const std::array<Bytes, batches>& by_batch, std::int64_t batch) const noexcept {
    std::int64_t earlier = 0;
    for (int i = groups + 1; i < batches; ++i) earlier += by_batch[place(batch + i)];
    return earlier < room_bytes;
  }
};

}  // namespace collio::flow
