// Which puts of an epoch are written together, against the definition.
#include "policy/epoch_groups.hpp"

#include <gtest/gtest.h>

#include <random>

namespace collio::policy {
namespace {

using Ends = std::vector<std::int64_t>;

bool overlap(const PutHull& a, const PutHull& b) { return std::max(a.begin, b.begin) < std::min(a.end, b.end); }

/// Whether no put before `end` overlaps with one from `end` on.
bool apart(const std::vector<PutHull>& puts, std::size_t end) {
  for (std::size_t i = 0; i < end; ++i)
    for (std::size_t j = end; j < puts.size(); ++j)
      if (overlap(puts[i], puts[j])) return false;
  return true;
}

/// As soon as a group may end and is long enough, it does.
Ends expected(const std::vector<PutHull>& puts, std::int64_t least) {
  Ends ends;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < puts.size(); ++i) {
    bytes += puts[i].bytes;
    if (bytes < least || !apart(puts, i + 1)) continue;
    ends.push_back(static_cast<std::int64_t>(i) + 1);
    bytes = 0;
  }
  if (ends.empty()) ends.push_back(0);
  ends.back() = static_cast<std::int64_t>(puts.size());
  return ends;
}

TEST(EpochGroups, VariablesOneBehindTheOther) {
  const std::vector<PutHull> puts{{0, 100, 100}, {100, 200, 100}, {200, 300, 100}, {300, 400, 100}, {400, 450, 50}};
  EXPECT_EQ(group_puts(puts, 1), (Ends{1, 2, 3, 4, 5}));
  EXPECT_EQ(group_puts(puts, 200), (Ends{2, 5}));
  EXPECT_EQ(group_puts(puts, 1000), (Ends{5}));
}

TEST(EpochGroups, MembersOfStructsAreOneGroup) {
  const std::vector<PutHull> puts{{0, 970, 250}, {10, 980, 250}, {20, 1000, 500}, {1000, 2000, 1000}};
  EXPECT_EQ(group_puts(puts, 1), (Ends{3, 4}));
}

TEST(EpochGroups, PutsBetweenTwoThatOverlapGoWithThem) {
  const std::vector<PutHull> puts{{0, 100, 50}, {500, 600, 100}, {50, 100, 50}, {700, 800, 100}};
  EXPECT_EQ(group_puts(puts, 1), (Ends{3, 4}));
}

TEST(EpochGroups, NoPutsAndPutsOfNothing) {
  EXPECT_EQ(group_puts({}, 1), Ends{0});
  const std::vector<PutHull> nothing{{1, 0, 0}, {1, 0, 0}};
  EXPECT_EQ(group_puts(nothing, 1), Ends{2});
}

TEST(EpochGroups, RandomPuts) {
  std::mt19937 random(7);
  const auto pick = [&](int most) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(most)); };
  for (int turn = 0; turn < 20000; ++turn) {
    std::vector<PutHull> puts(static_cast<std::size_t>(pick(9)));
    const int room = turn % 2 == 0 ? 20 : 200;
    for (PutHull& put : puts) {
      put.begin = pick(room);
      put.end = put.begin + pick(8);
      put.bytes = put.begin < put.end ? 1 + pick(9) : 0;
    }
    const std::int64_t least = 1 + pick(20);
    ASSERT_EQ(group_puts(puts, least), expected(puts, least)) << "turn " << turn;
  }
}

}  // namespace
}  // namespace collio::policy
