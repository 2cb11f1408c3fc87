// Elements that are turned around as they are copied, against a plain turn of the whole buffer.
#include "access/turned_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "access/access.hpp"
#include "core/reversed.hpp"
#include "random_access.hpp"

namespace collio::access {
namespace {

using test::Dice;

struct Words {
  alignas(8) std::byte bytes[256];
  explicit Words(Dice& dice) {
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(dice.pick(0, 255));
  }
  [[nodiscard]] std::int64_t address() const {
    return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(bytes));
  }
  /// As the file has them.
  [[nodiscard]] std::vector<std::byte> turned(int element_bytes) const {
    std::vector<std::byte> all(std::begin(bytes), std::end(bytes));
    for (auto at = all.begin(); at != all.end(); at += element_bytes) std::reverse(at, at + element_bytes);
    return all;
  }
};

TEST(Reversed, AnyPartOfARowIsThatOfTheTurnedRow) {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    Dice dice(seed);
    Words words(dice);
    const int width = 2 << dice.pick(0, 2);
    const std::int64_t begin = dice.pick(0, 199), bytes = dice.pick(0, 256 - begin);
    const std::vector<std::byte> all = words.turned(width);
    std::vector<std::byte> part(static_cast<std::size_t>(bytes) + 1, std::byte{0x5a});
    core::gather_reversed(part.data(), words.bytes + begin, bytes, width);
    ASSERT_TRUE(std::equal(part.begin(), part.end() - 1, all.begin() + begin)) << "seed " << seed;
    ASSERT_EQ(part.back(), std::byte{0x5a});

    Words other(dice);
    const std::vector<std::byte> before = other.turned(width);
    core::scatter_reversed(other.bytes + begin, part.data(), bytes, width);
    const std::vector<std::byte> after = other.turned(width);
    for (std::int64_t i = 0; i < 256; ++i) {
      const bool inside = i >= begin && i < begin + bytes;
      const auto place = static_cast<std::size_t>(i);
      ASSERT_EQ(after[place], inside ? all[place] : before[place]) << "seed " << seed << ", byte " << i;
    }
  }
}

TEST(TurnedMemory, TurnsEachRangeByItsOwnElements) {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    Dice dice(seed);
    Words words(dice);
    std::vector<TurnedMemory::Range> ranges;
    std::vector<std::byte> expected(std::begin(words.bytes), std::end(words.bytes));
    for (std::int64_t begin = 0; begin < 256; begin += 32) {
      const int width = 1 << dice.pick(0, 3);
      ranges.push_back({words.address() + begin, words.address() + begin + 32, width});
      const std::vector<std::byte> turned = words.turned(width);
      std::copy_n(turned.begin() + begin, 32, expected.begin() + begin);
    }
    std::swap(ranges[0], ranges[static_cast<std::size_t>(dice.pick(0, 7))]);  // in any order
    bool fits = false;
    const auto turned = TurnedMemory::of(ranges, fits);
    ASSERT_TRUE(fits);
    const core::Pattern all = core::Pattern::contiguous(words.address(), 256);
    const MemoryAccess memory(all, turned);
    std::byte part[256];
    const std::int64_t begin = dice.pick(0, 199), bytes = dice.pick(0, 256 - begin);
    memory.gather(begin, bytes, part);
    ASSERT_TRUE(std::equal(part, part + bytes, expected.begin() + begin)) << "seed " << seed;

    const std::vector<std::byte> before(std::begin(words.bytes), std::end(words.bytes));
    std::memset(words.bytes, 0, sizeof words.bytes);
    memory.scatter(0, 256, expected.data());
    ASSERT_TRUE(std::equal(before.begin(), before.end(), words.bytes)) << "seed " << seed;
  }
}

TEST(TurnedMemory, IsNothingWhereNoElementHasTwoBytes) {
  bool fits = false;
  EXPECT_EQ(TurnedMemory::of({{0, 10, 1}, {20, 30, 1}}, fits), nullptr);
  EXPECT_TRUE(fits);
}

TEST(TurnedMemory, DoesNotFitWhereElementsOverlapOrAreNotAligned) {
  bool fits = true;
  EXPECT_EQ(TurnedMemory::of({{0, 16, 4}, {8, 24, 8}}, fits), nullptr);
  EXPECT_FALSE(fits);
  EXPECT_EQ(TurnedMemory::of({{2, 10, 4}}, fits), nullptr);
  EXPECT_FALSE(fits);
  EXPECT_NE(TurnedMemory::of({{0, 16, 4}, {8, 24, 4}}, fits), nullptr);
  EXPECT_TRUE(fits);
}

}  // namespace
}  // namespace collio::access
