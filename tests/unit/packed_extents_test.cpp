// Packed lists at their edges: empty, one item, around every checkpoint, in any order, very large numbers.
#include "core/packed_extents.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "byte_list.hpp"
#include "core/cursor.hpp"

namespace collio::core {
namespace {

using test::Dice;

/// `n` pieces, no two alike, so that no two share an item.
std::vector<core::Run> single_pieces(std::int64_t n) {
  std::vector<core::Run> runs;
  std::int64_t at = 5;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t length = 1 + i % 3;
    runs.push_back({at, length, length, 1});
    at += length + 1 + (i * i) % 5;
  }
  return runs;
}

TEST(PackedExtents, EmptyListHasNothingToRead) {
  for (const auto& list : {test::packed({}), test::packed({{100, 0, 8, 4}, {200, 8, 8, 0}})}) {
    EXPECT_EQ(list.items(), 0);
    EXPECT_EQ(list.pieces(), 0);
    EXPECT_EQ(list.bytes(), 0);
    EXPECT_EQ(list.low(), 0);
    EXPECT_EQ(list.high(), 0);
    EXPECT_TRUE(list.ascending());
    EXPECT_EQ(list.reader(list.before_stream(0)).position(), list.code_end());
    EXPECT_EQ(list.before_offset(1000).stream, 0);
  }
}

TEST(PackedExtents, KeepsASinglePiece) {
  const auto list = test::packed({{-40, 24, 24, 1}});
  EXPECT_EQ(list.items(), 1);
  EXPECT_EQ(list.low(), -40);
  EXPECT_EQ(list.high(), -16);
  const core::Run run = test::runs_of(list)[0];
  EXPECT_EQ(run.offset, -40);
  EXPECT_EQ(run.length, 24);
  EXPECT_EQ(run.count, 1);
}

TEST(PackedExtents, OfOnePieceIsAsBuilt) {
  Dice dice(7);
  for (int i = 0; i < 2000; ++i) {
    const std::int64_t unit = std::int64_t{1} << dice.pick(0, 24), most = std::int64_t{1} << dice.pick(0, 35);
    const core::Extent piece{unit * dice.pick(-most, most), unit * dice.pick(1, most)};
    const PackedExtents one = PackedExtents::of(piece),
                        built = test::packed({{piece.offset, piece.length, piece.length, 1}});
    EXPECT_TRUE(std::ranges::equal(one.code(), built.code())) << piece.offset << ' ' << piece.length;
    EXPECT_EQ(one.hash(), built.hash());
    EXPECT_EQ(one.format().shift, built.format().shift);
    EXPECT_EQ(one.format().any_order, built.format().any_order);
    EXPECT_EQ(one.ascending(), built.ascending());
    EXPECT_EQ(test::runs_of(one), test::runs_of(built));
    for (const auto& number : {&PackedExtents::items, &PackedExtents::pieces, &PackedExtents::bytes,
                               &PackedExtents::low, &PackedExtents::high})
      EXPECT_EQ((one.*number)(), (built.*number)());
    EXPECT_EQ(one.before_stream(piece.length / 2).position, 0);
  }
}

TEST(PackedExtents, AdjacentPiecesBecomeOneAndEqualStepsBecomeARun) {
  EXPECT_EQ(test::runs_of(test::packed({{0, 8, 8, 1}, {8, 4, 4, 1}, {12, 20, 20, 1}})),
            (std::vector<core::Run>{{0, 32, 0, 1}}));
  EXPECT_EQ(test::runs_of(test::packed({{0, 8, 8, 1}, {24, 8, 8, 1}, {48, 8, 24, 5}})),
            (std::vector<core::Run>{{0, 8, 24, 7}}));
}

TEST(PackedExtents, KeepsOrderWithNegativeGaps) {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    Dice dice(seed);
    std::vector<core::Run> runs = test::random_ascending_runs(dice, 200);
    for (core::Run& run : runs) {
      if (dice.chance(3)) run.stride = -run.stride;
      run.offset -= 300;
    }
    std::shuffle(runs.begin(), runs.end(), dice.rng());
    const auto list = test::packed(runs);
    ASSERT_EQ(test::bytes_of(test::runs_of(list)), test::bytes_of(runs)) << "seed " << seed;
  }
}

TEST(PackedExtents, NoticesWhatIsNotAscending) {
  EXPECT_TRUE(test::packed({{0, 8, 8, 1}, {8, 4, 8, 3}, {28, 1, 1, 1}}).ascending());
  EXPECT_FALSE(test::packed({{8, 8, 8, 1}, {0, 8, 8, 1}}).ascending());
  EXPECT_FALSE(test::packed({{0, 8, 8, 1}, {7, 8, 8, 1}}).ascending());
  EXPECT_FALSE(test::packed({{0, 8, 7, 3}}).ascending());
  EXPECT_FALSE(test::packed({{64, 8, -16, 4}}).ascending());
}

TEST(PackedExtents, CheckpointsLeadToTheRightItem) {
  for (const std::int64_t n : {1, 2, 63, 64, 65, 127, 128, 129, 1000}) {
    const std::vector<core::Run> runs = single_pieces(n);
    const auto list = test::packed(runs);
    ASSERT_EQ(list.items(), n);
    std::int64_t stream = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const core::Run& run = runs[static_cast<std::size_t>(i)];
      const auto& by_stream = list.before_stream(stream);
      ASSERT_LE(by_stream.stream, stream);
      PackedReader reader = list.reader(by_stream);
      core::Run found;
      std::int64_t at = by_stream.stream;
      std::int64_t steps = 0;
      for (; at <= stream; at += found.bytes(), ++steps) found = reader.next();
      ASSERT_EQ(found.offset, run.offset) << "item " << i << " of " << n;
      ASSERT_LE(steps, PackedExtents::items_per_checkpoint);

      const auto& by_offset = list.before_offset(run.offset);
      ASSERT_LE(by_offset.at, run.offset);
      ASSERT_LE(by_offset.stream, stream);
      PackedReader other = list.reader(by_offset);
      steps = 0;
      do {
        found = other.next();
        ++steps;
      } while (found.end() <= run.offset);
      ASSERT_EQ(found.offset, run.offset) << "item " << i << " of " << n;
      ASSERT_LE(steps, PackedExtents::items_per_checkpoint + 1);
      stream += run.bytes();
    }
    ASSERT_EQ(list.before_stream(stream).stream, list.before_stream(stream - 1).stream)
        << "the end has no item";
  }
}

TEST(PackedExtents, CursorSeeksToEveryByteAroundCheckpoints) {
  for (const std::int64_t n : {63, 64, 65, 129, 300}) {
    const std::vector<core::Run> runs = single_pieces(n);
    const test::Bytes bytes = test::bytes_of(runs);
    const Pattern pattern(test::packed(runs));
    Cursor cursor(pattern);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      cursor.seek_stream(static_cast<std::int64_t>(i));
      ASSERT_EQ(cursor.offset(), bytes[i]);
      cursor.seek_offset(i == 0 ? 0 : bytes[i - 1] + 1);
      ASSERT_EQ(cursor.stream(), static_cast<std::int64_t>(i));
      ASSERT_EQ(cursor.offset(), bytes[i]);
    }
    cursor.seek_offset(bytes.back() + 1);
    EXPECT_TRUE(cursor.at_end());
    EXPECT_EQ(cursor.stream(), pattern.bytes());
  }
}

TEST(PackedExtents, HoldsVeryLargeNumbers) {
  const std::int64_t large = std::int64_t{1} << 60;
  const std::vector<core::Run> runs{{4096, 4096, 4096, 1},
                                    {large, std::int64_t{1} << 40, std::int64_t{1} << 41, 1000},
                                    {large * 2, 3, 3, 1}};
  const auto list = test::packed(runs);
  EXPECT_EQ(list.bytes(), 4096 + 1000 * (std::int64_t{1} << 40) + 3);
  EXPECT_EQ(list.pieces(), 1002);
  EXPECT_EQ(list.high(), large * 2 + 3);
  const auto found = test::runs_of(list);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[1], runs[1]);
  EXPECT_EQ(found[2].offset, large * 2);
}

TEST(PackedExtents, SharedPowersOfTwoCostNothing) {
  std::vector<core::Run> bytes = single_pieces(1000), pages = bytes;
  for (core::Run& run : pages) run = {run.offset * 4096, run.length * 4096, run.length * 4096, 1};
  EXPECT_EQ(test::packed(pages).encoded_bytes(), test::packed(bytes).encoded_bytes());
  EXPECT_EQ(test::packed(pages).format().shift, 12);
  EXPECT_EQ(test::bytes_of(test::runs_of(test::packed(bytes))), test::bytes_of(bytes));
}

}  // namespace
}  // namespace collio::core
