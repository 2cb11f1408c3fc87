// The hash check for exact tiling: yes for every tiling in any order, no for whatever is almost one.
#include "core/tiling.hpp"

#include <gtest/gtest.h>

#include "byte_list.hpp"

namespace collio::core {
namespace {

using test::Dice;

/// Pieces of random length that tile [begin, ...), shuffled.
std::vector<Extent> random_tiling(Dice& dice, std::int64_t begin, Extent& window) {
  std::vector<Extent> pieces;
  std::int64_t at = begin;
  for (std::int64_t i = 0, n = dice.pick(3, 200); i < n; ++i) {
    pieces.push_back({at, dice.chance(3) ? 8 : dice.pick(1, 64)});
    at = pieces.back().end();
  }
  window = {begin, at - begin};
  std::shuffle(pieces.begin(), pieces.end(), dice.rng());
  return pieces;
}

bool tiles(const std::vector<Extent>& pieces, const Extent& window) {
  TilingSum sum;
  for (const Extent& piece : pieces) sum.add(piece);
  return sum.tiles(window);
}

/// Calls each(seed, dice, pieces, window) for many random tilings near 0 and far beyond 2^32.
template <class Each>
void for_many_tilings(Each&& each) {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    Dice dice(seed);
    Extent window;
    const std::int64_t begin = dice.chance(2) ? dice.pick(0, 100) : dice.pick(0, std::int64_t{1} << 60);
    std::vector<Extent> pieces = random_tiling(dice, begin, window);
    each(seed, dice, pieces, window);
  }
}

TEST(Tiling, AcceptsAnyOrderAndAnySplitIntoSums) {
  for_many_tilings([](auto seed, Dice& dice, const auto& pieces, const Extent& window) {
    ASSERT_TRUE(tiles(pieces, window)) << seed;
    TilingSum parts[4], all;
    for (const Extent& piece : pieces) parts[dice.pick(0, 3)].add(piece);
    for (const TilingSum& part : parts) all.add(part);
    ASSERT_TRUE(all.tiles(window)) << seed;
  });
}

TEST(Tiling, RejectsOneHole) {
  for_many_tilings([](auto seed, Dice&, auto& pieces, const Extent& window) {
    pieces.pop_back();
    ASSERT_FALSE(tiles(pieces, window)) << seed;
  });
}

TEST(Tiling, RejectsOneOverlap) {
  for_many_tilings([](auto seed, Dice&, auto& pieces, const Extent& window) {
    pieces.push_back(pieces.front());
    ASSERT_FALSE(tiles(pieces, window)) << seed;
  });
}

TEST(Tiling, RejectsAHoleAndAnOverlapOfEqualSize) {
  for_many_tilings([](auto seed, Dice& dice, auto& pieces, const Extent& window) {
    Extent& moved = pieces.front();
    moved.offset += moved.offset > window.offset + 8 ? -dice.pick(1, 8) : dice.pick(1, 8);
    ASSERT_FALSE(tiles(pieces, window)) << seed;
  });
}

TEST(Tiling, RejectsPairsShiftedAgainstEachOther) {
  // Starts and ends keep their sum, and so would a hash that is linear in them.
  for_many_tilings([](auto seed, Dice& dice, auto& pieces, const Extent& window) {
    const std::int64_t distance = dice.pick(1, 100);
    pieces[0].offset += distance;
    pieces[1].offset -= distance;
    const bool swapped =
        pieces[0].length == pieces[1].length && pieces[0].offset - distance == pieces[1].offset;
    ASSERT_EQ(tiles(pieces, window), swapped) << seed;
  });
}

TEST(Tiling, RejectsTheTilingOfAnotherWindow) {
  for_many_tilings([](auto seed, Dice&, const auto& pieces, const Extent& window) {
    ASSERT_FALSE(tiles(pieces, {window.offset + 1, window.length})) << seed;
    ASSERT_FALSE(tiles(pieces, {window.offset, window.length + 1})) << seed;
  });
}

TEST(Tiling, RunsCountLikeTheirPieces) {
  const core::Run run{1000, 12, 40, 77};
  TilingSum by_run, by_piece;
  by_run.add(run);
  for (std::int64_t i = 0; i < run.count; ++i) by_piece.add(Extent{run.offset + i * run.stride, run.length});
  EXPECT_EQ(by_run.hash, by_piece.hash);
  EXPECT_EQ(by_run.bytes, by_piece.bytes);
}

TEST(Tiling, NothingTilesTheEmptyWindowOnly) {
  EXPECT_TRUE(TilingSum{}.tiles({17, 0}));
  EXPECT_FALSE(TilingSum{}.tiles({17, 1}));
}

}  // namespace
}  // namespace collio::core
