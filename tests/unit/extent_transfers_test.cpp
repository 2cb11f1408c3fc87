// Extents on their way, over storage that does them later and in any order: bytes, order of books, the first
// failure.
#include "transport/windows/extent_transfers.hpp"

#include <gtest/gtest.h>

#include "byte_list.hpp"
#include "late_file.hpp"

namespace collio::transport {
namespace {

using test::Dice;
using test::LateFile;

core::PackedExtents pieces_of(const std::vector<core::Extent>& extents) {
  core::PackedBuilder builder({});
  for (const core::Extent& e : extents) builder.add(e);
  return builder.finish();
}

std::vector<core::Extent> random_extents(Dice& dice, std::int64_t count) {
  std::vector<core::Extent> extents;
  std::int64_t at = 100 + dice.pick(0, 50);
  for (; static_cast<std::int64_t>(extents.size()) < count; at = extents.back().end() + dice.pick(1, 30))
    extents.push_back({at, dice.pick(1, 40)});
  return extents;
}

/// By asking, or by waiting.
void bring_to_an_end(ExtentTransfers& transfers, Dice& dice) {
  if (dice.chance(2)) return transfers.finish();
  for (int asked = 0; !transfers.advance(); ++asked) ASSERT_LT(asked, 100000);
}

TEST(ExtentTransfers, MoveTheirPiecesAndNothingElse) {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    Dice dice(seed);
    LateFile file(seed);
    file.bytes.assign(12000, std::byte{7});
    const auto extents = random_extents(dice, dice.pick(1, 150));
    std::vector<std::byte> data(11000), back(11000, std::byte{9});
    for (std::byte& b : data) b = static_cast<std::byte>(dice.pick(10, 255));
    auto expected = file.bytes;
    auto expected_back = back;
    for (const core::Extent& e : extents) {
      std::copy_n(data.begin() + (e.offset - 50), e.length, expected.begin() + e.offset);
      std::copy_n(data.begin() + (e.offset - 50), e.length, expected_back.begin() + (e.offset - 50));
    }
    const core::Extent all{50, extents.back().end() - 50};
    ExtentTransfers transfers;
    transfers.start(file, ExtentTransfers::write, {all, data.data()}, pieces_of(extents));
    bring_to_an_end(transfers, dice);
    EXPECT_EQ(transfers.take().bytes, all.length);
    ASSERT_TRUE(file.bytes == expected) << "seed " << seed;
    transfers.start(file, ExtentTransfers::read, {all, back.data()}, pieces_of(extents));
    bring_to_an_end(transfers, dice);
    EXPECT_EQ(transfers.take().bytes, all.length);
    ASSERT_TRUE(back == expected_back) << "seed " << seed;
    EXPECT_TRUE(file.quiet());
    EXPECT_LE(file.most_under_way, 32u);
  }
}

TEST(ExtentTransfers, CountUpToTheFirstThatFailedWhateverCameLater) {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    Dice dice(seed);
    LateFile file(seed);
    const auto extents = random_extents(dice, 120);
    const auto failing = static_cast<std::size_t>(dice.pick(0, 119));
    file.fails_from = extents[failing].offset + dice.pick(0, extents[failing].length - 1);
    std::vector<std::byte> data(11000, std::byte{1});
    ExtentTransfers transfers;
    transfers.start(file, ExtentTransfers::write, {{0, extents.back().end()}, data.data()},
                    pieces_of(extents));
    bring_to_an_end(transfers, dice);
    const storage::Transfer t = transfers.take();
    EXPECT_EQ(t.bytes, file.fails_from) << "seed " << seed;
    EXPECT_EQ(t.error.kind, core::ErrorClass::no_space);
    EXPECT_TRUE(file.quiet()) << "buffers may go only when nothing is under way";
    EXPECT_LE(file.started, static_cast<int>(failing) + 1 + 32);
  }
}

TEST(ExtentTransfers, ReadsEndWhereTheFileEnds) {
  LateFile file(1);
  file.bytes.assign(115, std::byte{5});
  std::vector<std::byte> data(300);
  ExtentTransfers transfers;
  transfers.start(file, ExtentTransfers::read, {{0, 300}, data.data()},
                  pieces_of({{90, 10}, {110, 10}, {150, 10}}));
  transfers.finish();
  const storage::Transfer t = transfers.take();
  EXPECT_EQ(t.bytes, 115);
  EXPECT_TRUE(t.error.ok());
}

}  // namespace
}  // namespace collio::transport
