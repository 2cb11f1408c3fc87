#include "transport/node_memory/words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace collio::transport {
namespace {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min(),
                       highest = std::numeric_limits<std::int64_t>::max();

/// What a rank brings, and holds afterwards.
struct Rank {
  Most<std::int64_t> most;
  Least<std::int64_t> least;
  Same<std::int64_t> same;
  Most<bool> any;
};

/// The reduction of two ranks: element-wise maxima.
void combine(Rank& a, Rank& b) {
  Packed of_a(a.most, a.least, a.same, a.any), of_b(b.most, b.least, b.same, b.any);
  std::ranges::transform(of_a.numbers(), of_b.numbers(), of_a.numbers().begin(),
                         [](std::int64_t x, std::int64_t y) { return std::max(x, y); });
  std::ranges::copy(of_a.numbers(), of_b.numbers().begin());
  of_a.unpack();
  of_b.unpack();
}

TEST(Words, AreCombinedByKind) {
  Rank a{{3}, {3}, {7}, {false}}, b{{5}, {5}, {7}, {true}};
  combine(a, b);
  for (const Rank& rank : {a, b}) {
    EXPECT_EQ(rank.most.value, 5);
    EXPECT_EQ(rank.least.value, 3);
    EXPECT_TRUE(rank.same.agreed());
    EXPECT_EQ(rank.same.value, 7);
    EXPECT_TRUE(rank.any.value);
  }
}

TEST(Words, ThatDifferHaveTheLargestAndTheSmallest) {
  Rank a{{0}, {0}, {lowest}, {false}}, b{{0}, {0}, {highest}, {false}};
  combine(a, b);
  for (const Rank& rank : {a, b}) {
    EXPECT_FALSE(rank.same.agreed());
    EXPECT_EQ(rank.same.value, highest);
    EXPECT_EQ(rank.same.least, lowest);
    EXPECT_FALSE(rank.any.value);
  }
}

TEST(Words, OfOneRankAreItsOwn) {
  Same<std::int64_t> same{-4};
  Least<std::int64_t> least{lowest};
  Packed all(same, least);
  all.unpack();
  EXPECT_TRUE(same.agreed());
  EXPECT_EQ(same.value, -4);
  EXPECT_EQ(least.value, lowest);
}

}  // namespace
}  // namespace collio::transport
