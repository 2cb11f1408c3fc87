// Pieces that are moved together: all pieces, in order, and no hole that costs more than a call.
#include "core/piece_groups.hpp"

#include <gtest/gtest.h>

#include "byte_list.hpp"

namespace collio::core {
namespace {

using test::Dice;

std::vector<PieceGroup> groups_of(const Pattern& pattern, const PieceGroups::Limits& limits) {
  Cursor cursor(pattern);
  PieceGroups groups(cursor, pattern.bytes(), limits);
  std::vector<PieceGroup> all;
  for (PieceGroup group; groups.next(group);) all.push_back(group);
  return all;
}

Pattern strided(std::int64_t pieces, std::int64_t length, std::int64_t stride) {
  return Pattern(test::packed({{100, length, stride, pieces}}));
}

TEST(PieceGroups, GiveAllBytesInOrder) {
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    Dice dice(seed);
    const std::vector<core::Run> runs = test::random_ascending_runs(dice, 300);
    const PieceGroups::Limits limits{dice.pick(1, 300), dice.pick(1, 3000), dice.pick(0, 500),
                                     static_cast<int>(dice.pick(2, 3))};
    test::Bytes found;
    for (const PieceGroup& group : groups_of(Pattern(test::packed(runs)), limits)) {
      EXPECT_EQ(group.stream, static_cast<std::int64_t>(found.size())) << "seed " << seed;
      const test::Bytes bytes = test::bytes_of(group.runs);
      found.insert(found.end(), bytes.begin(), bytes.end());
      EXPECT_EQ(group.bytes, static_cast<std::int64_t>(bytes.size())) << "seed " << seed;
      EXPECT_EQ(group.span, (Extent{bytes.front(), bytes.back() + 1 - bytes.front()})) << "seed " << seed;
      if (group.several()) {
        EXPECT_LE(group.span.length, limits.span_bytes) << "seed " << seed;
      }
      const std::int64_t cut = group.span.offset + dice.pick(0, group.span.length);
      EXPECT_EQ(group.bytes_before(cut), std::ranges::count_if(bytes, [&](auto at) { return at < cut; }));
    }
    EXPECT_EQ(found, test::bytes_of(runs)) << "seed " << seed;
  }
}

TEST(PieceGroups, AreAsLongAsTheirSpanMayBe) {
  const auto groups = groups_of(strided(1000, 8, 16), {1 << 20, 4096, 8000, 2});
  ASSERT_EQ(groups.size(), 4U);
  EXPECT_EQ(groups[0].span, (Extent{100, 4088}));
  EXPECT_EQ(groups[0].runs, (std::vector<core::Run>{{100, 8, 16, 256}}));
}

TEST(PieceGroups, ACallForEachPieceWhereItsHoleOrLengthCostsMore) {
  EXPECT_EQ(groups_of(strided(10, 8, 6000), {1 << 20, 1 << 20, 8000, 2}).size(), 10U);
  EXPECT_EQ(groups_of(strided(10, 65536, 65544), {1 << 20, 1 << 20, 8000, 2}).size(), 10U);
  EXPECT_EQ(groups_of(strided(10, 8, 16), {1 << 20, 1 << 20, 0, 2}).size(), 10U);
  EXPECT_EQ(groups_of(strided(10, 8, 3000), {1 << 20, 1 << 20, 8000, 2}).size(), 1U);
  EXPECT_EQ(groups_of(strided(10, 8, 3000), {1 << 20, 1 << 20, 8000, 3}).size(), 10U);
}

TEST(PieceGroups, PiecesInNoOrderAreAlone) {
  const Pattern falling(pack_runs([](auto&& sink) {
    for (std::int64_t i = 0; i < 5; ++i) sink(core::Run{100 - 10 * i, 4, 4, 1});
  }));
  EXPECT_EQ(groups_of(falling, {1 << 20, 1 << 20, 8000, 2}).size(), 5U);
}

}  // namespace
}  // namespace collio::core
