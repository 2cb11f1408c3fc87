// The room set aside for packed pieces holds any list of them.
#include "flow/packed_room.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "byte_list.hpp"
#include "core/cursor.hpp"

namespace collio::flow {
namespace {

using test::Dice;

constexpr std::int64_t window = 1 << 20;

/// The list of `runs`, as ranks write it.
std::int64_t list_bytes(const std::vector<core::Run>& runs, int shift) {
  std::vector<std::uint8_t> code(runs.size() * core::packed_item_max_bytes + core::varint_slack);
  core::PackedWriter writer(code.data(), {shift, false}, 0);
  for (const core::Run& run : runs) writer.put(run);
  return writer.position() - code.data();
}

void expect_room(const std::vector<core::Run>& runs, std::int64_t window_bytes, int shift,
                 const std::string& what) {
  RankPieces p;
  for (const core::Run& run : runs) p.bytes += run.bytes(), p.pieces += run.count;
  EXPECT_GE(list_room(p, {window_bytes, shift}), list_bytes(runs, shift)) << what;
  p.pieces *= 3;  // it may be a bound, too
  EXPECT_GE(list_room(p, {window_bytes, shift}), list_bytes(runs, shift)) << what << ", pieces unknown";
  p.pieces = 0;
  for (const core::Run& run : runs) p.pieces += std::min<std::int64_t>(run.count, 2);
  EXPECT_GE(list_room(p, {window_bytes, shift}), list_bytes(runs, shift)) << what << ", runs by two";
  EXPECT_GE(part_room(p, {window_bytes, shift}), part_head_bytes + p.bytes + list_bytes(runs, shift)) << what;
}

/// Pieces of any lengths in a window.
std::vector<core::Run> random_runs(Dice& dice, int shift) {
  const std::int64_t units = window >> shift, pieces = std::int64_t{1} << dice.pick(0, 12);
  const std::int64_t apart = std::max<std::int64_t>(4, units / pieces);
  std::vector<core::Run> runs;
  for (std::int64_t at = dice.pick(0, apart); at + 2 * apart < units;) {
    const std::int64_t length = dice.pick(1, apart);
    const std::int64_t stride = length * dice.pick(2, 5), count = dice.chance(2) ? 1 : dice.pick(2, 5);
    if (at + count * stride > units) break;
    runs.push_back({at << shift, length << shift, stride << shift, count});
    at += (count - 1) * stride + length + (dice.chance(3) ? 0 : dice.pick(0, 2 * apart));
  }
  return runs;
}

TEST(PackedRoom, HoldsAnyList) {
  for (std::uint32_t seed = 0; seed < 20000 && !::testing::Test::HasFailure(); ++seed) {
    Dice dice(seed);
    const int shift = static_cast<int>(dice.pick(0, 12));
    const std::vector<core::Run> runs = random_runs(dice, shift);
    if (!runs.empty()) expect_room(runs, window, shift, "seed " + std::to_string(seed));
  }
}

TEST(PackedRoom, HoldsTheListsThatTakeMost) {
  for (const std::int64_t stride : {2, 3, 63, 64, 127, 128, 129, 255, 8191, 16384, 100000})
    for (const std::int64_t length : {1, 62, 63, 64, 65}) {
      if (length >= stride) continue;
      std::vector<core::Run> runs;
      for (std::int64_t at = stride; at + length <= window; at += stride) runs.push_back({at, length, 0, 1});
      expect_room(runs, window, 0, std::to_string(length) + " every " + std::to_string(stride));
    }
  expect_room({{window - 1, 1, 0, 1}}, window, 0, "the last byte");
}

TEST(PackedRoom, AFewBytesTakeAFewSlots) {
  constexpr int slots = 64;
  constexpr std::int64_t slot = window / slots;
  EXPECT_EQ(part_room({0, 5}, {window, 0}), 0);
  EXPECT_EQ(slots_in_transit(0, slot, slots), 1);
  EXPECT_EQ(slots_in_transit(part_room({slot / 2, 1}, {window, 0}), slot, slots), 1);
  EXPECT_EQ(slots_in_transit(slot, slot, slots), 2);  // where the file ends is behind it
  EXPECT_EQ(slots_in_transit(window - slot - parts_tail_bytes, slot, slots), slots - 1);
  EXPECT_EQ(slots_in_transit(window, slot, slots), slots);
  EXPECT_EQ(slots_in_transit(0, window, 1), 1);  // a window is one slot
}

}  // namespace
}  // namespace collio::flow
