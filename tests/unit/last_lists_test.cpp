// Lists of pieces that files keep, and how many they are.
#include "netcdf/last_lists.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace collio::netcdf {
namespace {

std::shared_ptr<const Pieces> list_of(std::int64_t pieces) {
  auto list = std::make_shared<Pieces>();
  list->offsets.resize(static_cast<std::size_t>(pieces));
  list->lengths.resize(static_cast<std::size_t>(pieces));
  return list;
}

TEST(LastLists, KeepsTheLastFourByTheirParts) {
  LastLists lists;
  std::vector<std::shared_ptr<const Pieces>> all;
  for (int parts = 1; parts <= 5; ++parts) {
    all.push_back(list_of(parts));
    lists.keep(parts, all.back());
  }
  EXPECT_EQ(lists.find(1), nullptr);
  for (int parts = 2; parts <= 5; ++parts)
    EXPECT_EQ(lists.find(parts), all[static_cast<std::size_t>(parts) - 1]);
  const auto again = list_of(3);
  lists.keep(3, again);
  EXPECT_EQ(lists.find(3), again);
  EXPECT_EQ(lists.find(2), all[1]);
}

TEST(LastLists, AllFilesKeepSoManyPiecesTogether) {
  const std::int64_t half = LastLists::most_pieces / 2;
  const auto list = list_of(half);
  LastLists last;
  {
    LastLists one, other;
    one.keep(1, list);
    other.keep(1, list);
    EXPECT_NE(other.find(1), nullptr);
    last.keep(1, list_of(1));
    EXPECT_EQ(last.find(1), nullptr);
    one.keep(1, list_of(half + 1));  // too much: neither this nor the earlier one
    EXPECT_EQ(one.find(1), nullptr);
    last.keep(1, list);
    EXPECT_NE(last.find(1), nullptr);
  }
  last.keep(2, list);  // the others are closed
  EXPECT_NE(last.find(2), nullptr);
}

}  // namespace
}  // namespace collio::netcdf
