// How much room pieces need in transit where they are packed: a list of them and their bytes, rank by rank,
// instead of each byte at its place in the window.
//
// A node of many has few bytes of a window. Placed, they take the memory of a whole window, so what a node
// needs would be in proportion to the windows of the job. Packed, they take as much as they are. Room is
// set aside before any piece is looked at, so it is a bound, from the number of bytes and pieces.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace collio::flow {

/// One rank's pieces in a window.
struct RankPieces {
  std::int64_t bytes = 0;
  /// at most
  std::int64_t pieces = 0;
};

/// What all know of a window's pieces.
struct PieceUnits {
  std::int64_t window_bytes = 0;
  /// pieces begin and end at multiples of 2^shift bytes
  int shift = 0;
};

/// Bytes before a rank's list.
inline constexpr std::int64_t part_head_bytes = 24;
/// Bytes behind all parts: where the file ends, in an answer.
inline constexpr std::int64_t parts_tail_bytes = 8;

/// Most bytes of a packed list (core::PackedWriter). A value of b bits takes at most 1 + b / 7 bytes, which
/// is concave in the value: n pieces take most where their lengths, and the gaps between them, are all the
/// same.
[[nodiscard]] constexpr std::int64_t list_room(const RankPieces& p, const PieceUnits& u) noexcept {
  if (p.bytes == 0) return 0;
  const std::int64_t units = ((p.bytes - 1) >> u.shift) + 1;
  const std::int64_t n = std::clamp<std::int64_t>(p.pieces, 1, units);
  const auto width = [n](std::int64_t sum) {
    return std::bit_width(static_cast<std::uint64_t>(sum / n + 1));
  };
  return 2 * n + (n * (width(2 * units + n) + width(u.window_bytes >> u.shift)) + 6) / 7;
}

/// Room for a rank's part: head, list, bytes. A multiple of 8.
[[nodiscard]] constexpr std::int64_t part_room(const RankPieces& p, const PieceUnits& u) noexcept {
  return p.bytes == 0 ? 0 : (part_head_bytes + list_room(p, u) + p.bytes + 7) / 8 * 8;
}

/// Slots of `slot_bytes` bytes that a team's pieces take, whose parts need `needs` bytes: `window_slots`
/// where they are placed, as packing them would take no less.
[[nodiscard]] constexpr int slots_in_transit(std::int64_t needs, std::int64_t slot_bytes,
                                             int window_slots) noexcept {
  const std::int64_t packed = (needs + parts_tail_bytes + slot_bytes - 1) / slot_bytes;
  return packed < window_slots ? static_cast<int>(packed) : window_slots;
}

}  // namespace collio::flow
