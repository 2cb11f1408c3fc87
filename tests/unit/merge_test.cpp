// The union of sorted lists against a plain list of bytes.
#include "core/merge.hpp"

#include <gtest/gtest.h>

#include "byte_list.hpp"

namespace collio::core {
namespace {

using test::Dice;

std::vector<Extent> merged(const std::vector<PackedExtents>& lists) {
  std::vector<SortedList> sorted;
  for (const PackedExtents& list : lists)
    sorted.push_back({list.reader(list.before_stream(0)), list.items()});
  std::vector<Extent> out;
  merge_union(sorted, [&](const Extent& e) { out.push_back(e); });
  return out;
}

TEST(Merge, EqualsTheUnionOfAllBytes) {
  for (std::uint32_t seed = 1; seed <= 500; ++seed) {
    Dice dice(seed);
    std::vector<PackedExtents> lists;
    test::Bytes all;
    for (std::int64_t k = 0, n = dice.pick(1, 12); k < n; ++k) {
      const auto runs = test::random_ascending_runs(dice, 60);
      for (const core::Run& run : runs) test::append_bytes(all, run);
      lists.push_back(test::packed(runs));
    }
    ASSERT_EQ(merged(lists), test::union_of(all)) << "seed " << seed;
  }
}

TEST(Merge, OfNothingIsNothing) {
  EXPECT_TRUE(merged({}).empty());
  EXPECT_TRUE(merged({test::packed({}), test::packed({})}).empty());
}

TEST(Merge, EmptyListsDoNotDisturbOthers) {
  const std::vector<Extent> expected{{8, 4}};
  EXPECT_EQ(merged({test::packed({}), test::packed({{8, 4, 4, 1}}), test::packed({})}), expected);
}

TEST(Merge, TouchingPiecesOfDifferentListsBecomeOne) {
  const std::vector<Extent> expected{{0, 64}};
  EXPECT_EQ(merged({test::packed({{0, 4, 8, 8}}), test::packed({{4, 4, 8, 8}})}), expected);
}

TEST(Merge, PieceInsideAnotherDoesNotShortenIt) {
  const std::vector<Extent> expected{{0, 100}, {200, 1}};
  EXPECT_EQ(merged({test::packed({{0, 100, 100, 1}}), test::packed({{10, 5, 20, 3}, {200, 1, 1, 1}})}),
            expected);
}

TEST(Merge, SameListManyTimesIsThatList) {
  const auto list = test::packed({{0, 4, 12, 100}, {5000, 7, 7, 1}});
  EXPECT_EQ(merged({list, list, list, list}), merged({list}));
}

}  // namespace
}  // namespace collio::core
