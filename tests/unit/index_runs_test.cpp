// Lists of numbers and what they are packed into.
#include "core/index_runs.hpp"

#include <gtest/gtest.h>

#include <random>

namespace collio::core {
namespace {

using Numbers = std::vector<std::int64_t>;

std::vector<std::uint8_t> packed(const Numbers& numbers) {
  IndexPacker packer;
  for (const std::int64_t number : numbers) packer.add(number);
  return packer.finish();
}

/// Numbers [from, to) again; {-2}: it is no list.
Numbers unpacked(const std::vector<std::uint8_t>& bytes, const IndexLimits& limits, std::int64_t from,
                 std::int64_t to) {
  Numbers out;
  return read_indices(bytes, limits, from, to, out) ? out : Numbers{-2};
}

Numbers box(const Numbers& shape, const Numbers& start, const Numbers& count) {
  Numbers found{0};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    Numbers next;
    for (const std::int64_t before : found)
      for (std::int64_t i = 0; i < count[d]; ++i) next.push_back(before * shape[d] + start[d] + i);
    found = std::move(next);
  }
  return found;
}

TEST(IndexRuns, ABoxIsOneItemHoweverLarge) {
  const Numbers rows = box({9, 11, 7, 13}, {1, 2, 3, 4}, {6, 8, 3, 5});
  const auto bytes = packed(rows);
  EXPECT_LE(bytes.size(), 20U);
  EXPECT_EQ(unpacked(bytes, {static_cast<std::int64_t>(rows.size()), 9 * 11 * 7 * 13}, 0, 1 << 20), rows);
}

TEST(IndexRuns, HolesRepetitionsAndReverseOrder) {
  for (const Numbers& numbers :
       {Numbers{}, Numbers{-1}, Numbers{-1, -1, -1, 0}, Numbers{5, 5, 5}, Numbers{9, 8, 7, 6, -1, 6, 7},
        Numbers{0, 1, -1, 10, 11, -1, 20, 21, -1}, Numbers{(1LL << 42) - 1, 0, (1LL << 42) - 1}})
    EXPECT_EQ(unpacked(packed(numbers), {static_cast<std::int64_t>(numbers.size()), 1LL << 42}, 0, 100),
              numbers);
}

TEST(IndexRuns, RandomListsAndPartsOfThem) {
  std::mt19937 random(7);
  const auto pick = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  for (int round = 0; round < 300; ++round) {
    Numbers numbers;
    for (std::int64_t runs = pick(0, 12); runs > 0; --runs) {
      const std::int64_t start = pick(20, 60), stride = pick(-2, 2);
      for (std::int64_t i = 0, count = pick(1, 9); i < count; ++i)
        numbers.push_back(pick(0, 9) == 0 ? -1 : start + i * stride);
    }
    const auto bytes = packed(numbers);
    const auto size = static_cast<std::int64_t>(numbers.size());
    const std::int64_t from = pick(0, size), to = pick(from, size);
    EXPECT_EQ(unpacked(bytes, {size, 100}, from, to), Numbers(numbers.begin() + from, numbers.begin() + to));
    EXPECT_EQ(unpacked(bytes, {size + 1, 100}, 0, size), Numbers{-2});
    if (size > 0) {
      EXPECT_EQ(unpacked(bytes, {size - 1, 100}, 0, size), Numbers{-2});
    }
  }
}

TEST(IndexRuns, NumbersOutsideOfTheArrayAreRefused) {
  EXPECT_EQ(unpacked(packed({0, 1, 2, 3}), {4, 3}, 0, 0), Numbers{-2});
  EXPECT_EQ(unpacked(packed({3, 2, 1, 0}), {4, 4}, 1, 3), (Numbers{2, 1}));
  EXPECT_EQ(unpacked({}, {0, 0}, 0, 0), Numbers{});
}

TEST(IndexRuns, AnyBytesAreAListOrNone) {
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    auto bytes = packed({4, 5, 6, 14, 15, 16, 24, 25, 26, -1, 3});
    for (int changes = 0; changes < 2; ++changes)
      bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
    bytes.resize(bytes.size() - random() % 3);
    Numbers out;
    if (!read_indices(bytes, {11, 30}, 0, 11, out)) continue;
    ASSERT_EQ(out.size(), 11U);
    for (const std::int64_t number : out) EXPECT_TRUE(number >= -1 && number < 30);
  }
}

}  // namespace
}  // namespace collio::core
