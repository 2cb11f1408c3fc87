// Which puts of an epoch are written together, against the definition.
#include "policy/plan/epoch_groups.hpp"

#include <gtest/gtest.h>

#include <random>

namespace collio::policy {
namespace {

using Ends = std::vector<std::int64_t>;

bool overlap(const PutHull& a, const PutHull& b) {
  return std::max(a.begin, b.begin) < std::min(a.end, b.end);
}

/// Whether no put before `end` overlaps with one from `end` on.
bool apart(const std::vector<PutHull>& puts, std::size_t end) {
  for (std::size_t i = 0; i < end; ++i)
    for (std::size_t j = end; j < puts.size(); ++j)
      if (overlap(puts[i], puts[j])) return false;
  return true;
}

constexpr std::int64_t unlimited = 1000;

/// Ends at which a group from `begin` on may end.
Ends allowed_ends(const std::vector<PutHull>& puts, std::int64_t begin) {
  Ends ends;
  for (auto end = begin + 1; end <= static_cast<std::int64_t>(puts.size()); ++end)
    if (apart(puts, static_cast<std::size_t>(end))) ends.push_back(end);
  return ends;
}

std::int64_t bytes_of(const std::vector<PutHull>& puts, std::int64_t begin, std::int64_t end) {
  std::int64_t bytes = 0;
  for (; begin < end; ++begin) bytes += puts[static_cast<std::size_t>(begin)].bytes;
  return bytes;
}

/// The first end that makes the group long enough, else the last one within the most puts, else the first
/// one.
Ends expected(const std::vector<PutHull>& puts, const GroupLimits& limits) {
  Ends ends;
  const auto all = static_cast<std::int64_t>(puts.size());
  std::int64_t begin = 0;
  while (begin < all) {
    std::int64_t chosen = 0;
    for (const std::int64_t end : allowed_ends(puts, begin)) {
      if (chosen > 0 && end - begin > limits.most_puts) break;
      chosen = end;
      if (bytes_of(puts, begin, end) >= limits.least_bytes) break;
    }
    ends.push_back(begin = chosen);
  }
  if (ends.empty()) return {0};
  const std::int64_t last = ends.size() > 1 ? ends[ends.size() - 2] : 0,
                     before = ends.size() > 2 ? ends[ends.size() - 3] : 0;
  if (ends.size() > 1 && bytes_of(puts, last, all) < limits.least_bytes && all - before <= limits.most_puts)
    ends.erase(ends.end() - 2);
  return ends;
}

TEST(EpochGroups, VariablesOneBehindTheOther) {
  const std::vector<PutHull> puts{
      {0, 100, 100}, {100, 200, 100}, {200, 300, 100}, {300, 400, 100}, {400, 450, 50}};
  EXPECT_EQ(group_puts(puts, {1, unlimited}), (Ends{1, 2, 3, 4, 5}));
  EXPECT_EQ(group_puts(puts, {200, unlimited}), (Ends{2, 5}));
  EXPECT_EQ(group_puts(puts, {1000, unlimited}), (Ends{5}));
}

TEST(EpochGroups, NoMorePutsThanMemoryHas) {
  const std::vector<PutHull> puts{
      {0, 100, 100}, {100, 200, 100}, {200, 300, 100}, {300, 400, 100}, {400, 450, 50}};
  EXPECT_EQ(group_puts(puts, {1000, 2}), (Ends{2, 4, 5}));
  EXPECT_EQ(group_puts(puts, {200, 3}), (Ends{2, 5}));
  EXPECT_EQ(group_puts(puts, {200, 1}), (Ends{1, 2, 3, 4, 5}));
  const std::vector<PutHull> structs{{0, 970, 250}, {10, 980, 250}, {20, 1000, 500}};
  EXPECT_EQ(group_puts(structs, {1, 2}), Ends{3});
}

TEST(EpochGroups, MembersOfStructsAreOneGroup) {
  const std::vector<PutHull> puts{{0, 970, 250}, {10, 980, 250}, {20, 1000, 500}, {1000, 2000, 1000}};
  EXPECT_EQ(group_puts(puts, {1, unlimited}), (Ends{3, 4}));
}

TEST(EpochGroups, PutsBetweenTwoThatOverlapGoWithThem) {
  const std::vector<PutHull> puts{{0, 100, 50}, {500, 600, 100}, {50, 100, 50}, {700, 800, 100}};
  EXPECT_EQ(group_puts(puts, {1, unlimited}), (Ends{3, 4}));
}

TEST(EpochGroups, NoPutsAndPutsOfNothing) {
  EXPECT_EQ(group_puts({}, {1, 1}), Ends{0});
  const std::vector<PutHull> nothing{{1, 0, 0}, {1, 0, 0}};
  EXPECT_EQ(group_puts(nothing, {1, unlimited}), Ends{2});
}

TEST(EpochGroups, RandomPuts) {
  std::mt19937 random(7);
  const auto pick = [&](int most) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(most));
  };
  for (int turn = 0; turn < 20000; ++turn) {
    std::vector<PutHull> puts(static_cast<std::size_t>(pick(9)));
    const int room = turn % 2 == 0 ? 20 : 200;
    for (PutHull& put : puts) {
      put.begin = pick(room);
      put.end = put.begin + pick(8);
      put.bytes = put.begin < put.end ? 1 + pick(9) : 0;
    }
    const GroupLimits limits{1 + pick(20), 1 + pick(10)};
    ASSERT_EQ(group_puts(puts, limits), expected(puts, limits)) << "turn " << turn;
  }
}

}  // namespace
}  // namespace collio::policy
