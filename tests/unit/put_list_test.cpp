// Puts as one access, and that of an earlier step moved.
#include "engine/declared/put_list.hpp"

#include <gtest/gtest.h>

namespace collio::engine {
namespace {

std::vector<core::MappedPiece> pieces_of(const core::PieceMap& map) {
  std::vector<core::MappedPiece> pieces;
  core::for_each_piece(map, [&](const core::MappedPiece& piece) { pieces.push_back(piece); });
  return pieces;
}

std::shared_ptr<const core::PieceMap> map_of(std::vector<core::MappedPiece> pieces) {
  return std::make_shared<const core::PieceMap>(core::map_pieces(std::move(pieces)));
}

TEST(PutList, EmptyListIsAnEmptyAccess) {
  PutList list;
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list.take().bytes(), 0);
}

TEST(PutList, LaterStepsShareTheListOfTheFirst) {
  const auto x = map_of({{0, 0, 4}, {12, 4, 4}, {20, 8, 4}}), y = map_of({{4, 0, 4}, {16, 4, 4}, {28, 8, 4}});
  PutList list;
  std::vector<core::PieceMap> steps;
  for (std::int64_t step = 0; step < 3; ++step) {
    list.add({x, 1000 * step, 5000 + 64 * step});
    list.add({y, 1000 * step, 7000 + 64 * step});
    steps.push_back(list.take());
    EXPECT_TRUE(list.empty());
  }
  EXPECT_EQ(&steps[0].file.body(), &steps[2].file.body());
  const auto first = pieces_of(steps[0]), last = pieces_of(steps[2]);
  ASSERT_EQ(first.size(), last.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].file + 2000, last[i].file);
    EXPECT_EQ(first[i].memory + 128, last[i].memory);
  }
}

TEST(PutList, OtherDistancesAreAnotherList) {
  const auto x = map_of({{0, 0, 4}}), y = map_of({{0, 0, 4}});
  PutList list;
  list.add({x, 0, 0});
  list.add({y, 100, 500});
  EXPECT_EQ(pieces_of(list.take()).back().memory, 500);
  list.add({x, 0, 0});
  list.add({y, 100, 600});
  EXPECT_EQ(pieces_of(list.take()).back().memory, 600);
}

TEST(PutList, ForgetsTheOldest) {
  PutList list;
  const auto map = map_of({{0, 0, 4}, {8, 4, 4}});
  for (std::int64_t distance = 100; distance < 3000; distance += 100) {
    list.add({map, 0, 0});
    list.add({map, distance, distance});
    EXPECT_EQ(list.take().bytes(), 16);
  }
}

TEST(PutList, ForgetsWhatIsMoreThanItIsToRemember) {
  PutList list;
  std::vector<std::weak_ptr<const core::PieceMap>> maps;
  list.remember(20);
  for (int i = 0; i < 20; ++i) {
    const auto map = map_of({{0, 0, 4}});
    maps.push_back(map);
    list.add({map, 0, 0});
    EXPECT_EQ(list.take().bytes(), 4);
  }
  list.remember(0);
  list.add({map_of({{0, 0, 4}}), 0, 0});
  EXPECT_EQ(list.take().bytes(), 4);
  EXPECT_EQ(std::ranges::count_if(maps, [](const auto& map) { return !map.expired(); }), 3);
}

}  // namespace
}  // namespace collio::engine
