// Decompositions against the elements they name.
#include "access/decomposition.hpp"

#include <gtest/gtest.h>

namespace collio::access {
namespace {

using Numbers = std::vector<std::int64_t>;

/// {offset in the file, address} of every piece, echoes behind.
std::vector<std::pair<std::int64_t, std::int64_t>> elements_of(const core::PieceMap& map,
                                                               std::int64_t bytes) {
  std::vector<std::pair<std::int64_t, std::int64_t>> found;
  core::for_each_piece(map, [&](const core::MappedPiece& piece) {
    for (std::int64_t at = 0; at < piece.length; at += bytes)
      found.emplace_back(piece.file + at, piece.memory + at);
  });
  for (const core::Echo& echo : map.echoes)
    for (std::int64_t at = 0; at < echo.length; at += bytes) found.emplace_back(echo.file + at, echo.to + at);
  return found;
}

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

std::string error_of(const Decomposition::Made& made) { return made ? "" : made.error().message; }

TEST(Decomposition, BoxIsLoopsHoweverLarge) {
  const auto made = Decomposition::box(Numbers{1000, 1000, 1000}, Numbers{1, 2, 3}, Numbers{900, 800, 700});
  ASSERT_TRUE(made);
  const auto map = made.value()->bytes(8, {});
  ASSERT_TRUE(map);
  EXPECT_EQ(map.value()->bytes(), 8LL * 900 * 800 * 700);
  EXPECT_EQ(map.value()->file.low(), 8 * (1000000 + 2000 + 3));
  EXPECT_LE(map.value()->file.body().items(), 1);
  EXPECT_TRUE(map.value()->memory.contiguous());
}

TEST(Decomposition, EmptyBox) {
  const auto made = Decomposition::box(Numbers{4, 4}, Numbers{4, 0}, Numbers{0, 4});
  ASSERT_TRUE(made);
  EXPECT_EQ(made.value()->bytes(4, {}).value()->bytes(), 0);
}

TEST(Decomposition, MapOfAnyOrderWithGapsAndRepetitions) {
  const auto made = Decomposition::map(Numbers{2, 5}, Numbers{7, 2, -1, 3, 7});
  ASSERT_TRUE(made);
  EXPECT_EQ(made.value()->elements(), 5);
  const auto map = made.value()->bytes(4, {});
  EXPECT_EQ(elements_of(*map.value(), 4), (Pairs{{8, 4}, {12, 12}, {28, 0}, {28, 16}}));
  EXPECT_EQ(made.value()->bytes(4, {}).value(), map.value()) << "kept";
}

TEST(Decomposition, LayoutOfABlock) {
  const auto box = Decomposition::box(Numbers{4}, Numbers{0}, Numbers{4});
  const BlockLayout columns{{2, 2}, {1, 10}};
  EXPECT_EQ(elements_of(*box.value()->bytes(1, columns).value(), 1),
            (Pairs{{0, 0}, {1, 10}, {2, 1}, {3, 11}}));
  const auto map = Decomposition::map(Numbers{4}, Numbers{3, 0, 3, 1});
  EXPECT_EQ(elements_of(*map.value()->bytes(1, columns).value(), 1),
            (Pairs{{0, 10}, {1, 11}, {3, 0}, {3, 1}}));
  const auto backwards = box.value()->bytes(2, {{4}, {-2}});
  EXPECT_EQ(elements_of(*backwards.value(), 2), (Pairs{{0, 0}, {2, -2}, {4, -4}, {6, -6}}));
}

TEST(Decomposition, ErrorsNameTheValueAndWhatIsAllowed) {
  EXPECT_EQ(error_of(Decomposition::box(Numbers{3, -1}, Numbers{0, 0}, Numbers{1, 1})),
            "shape[1] is -1; allowed: 0 and more");
  EXPECT_EQ(error_of(Decomposition::box(Numbers{3}, Numbers{4}, Numbers{0})),
            "start[0] is 4; allowed: 0 to 3");
  EXPECT_EQ(error_of(Decomposition::box(Numbers{3}, Numbers{2}, Numbers{2})),
            "count[0] is 2; allowed: 0 to 1, shape less start");
  EXPECT_EQ(error_of(Decomposition::map(Numbers{3}, Numbers{0, 3})), "map[1] is 3; allowed: -1 to 2");
  EXPECT_NE(error_of(Decomposition::map(Numbers{1 << 30, 1 << 30}, Numbers{})).find("which is the most"),
            std::string::npos);
  const auto three = Decomposition::map(Numbers{3}, Numbers{0, 1, 2});
  EXPECT_EQ(three.value()->bytes(4, {{2, 2}, {8, 4}}).error().message,
            "the layout's counts make 4 elements; the decomposition has 3");
}

}  // namespace
}  // namespace collio::access
