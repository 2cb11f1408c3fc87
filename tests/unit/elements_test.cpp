// Rows of elements of several sizes, turned around one element at a time.
#include "core/elements.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace {

using namespace collio::core;

Elements alike(int element_bytes, std::int64_t count) {
  return {element_bytes * count, element_bytes, {}, {}};
}

/// A random row, and the sizes of its elements in order.
Elements random_row(std::mt19937& random, int depth, std::vector<int>& sizes) {
  const auto up_to = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most + 1)); };
  if (depth == 0) {
    const int size = std::vector{1, 2, 4, 8, 3, 16}[static_cast<std::size_t>(up_to(5))], count = up_to(3);
    sizes.insert(sizes.end(), static_cast<std::size_t>(count), size);
    return alike(size, count);
  }
  std::vector<Elements> rows;
  for (int i = up_to(3); i >= 0; --i) {
    std::vector<int> own;
    const int count = up_to(2);
    rows.push_back(repeated(random_row(random, depth - 1, own), count));
    for (int k = 0; k < count; ++k) sizes.insert(sizes.end(), own.begin(), own.end());
  }
  return joined(std::move(rows));
}

TEST(Elements, AreTurnedAroundOneByOne) {
  std::mt19937 random(4);
  for (int round = 0; round < 500; ++round) {
    std::vector<int> sizes;
    const Elements row = random_row(random, round % 4, sizes);
    std::int64_t all = 0;
    for (const int size : sizes) all += size;
    ASSERT_EQ(row.bytes, all);
    std::vector<std::byte> data(
        static_cast<std::size_t>(2 * all + (all > 0 ? random() % static_cast<unsigned>(all) : 0)));
    for (std::byte& one : data) one = static_cast<std::byte>(random());
    std::vector<std::byte> expected = data;
    for (std::size_t at = 0, i = 0; all > 0 && at < data.size(); i = (i + 1) % sizes.size()) {
      const auto size = static_cast<std::size_t>(sizes[i]);
      if (at + size <= data.size())
        std::reverse(expected.begin() + static_cast<std::ptrdiff_t>(at),
                     expected.begin() + static_cast<std::ptrdiff_t>(at + size));
      at += size;
    }
    reverse_elements(row, data);
    ASSERT_EQ(data, expected) << "round " << round;
  }
}

TEST(Elements, OfOneSizeNeedNoList) {
  const Elements row = joined({repeated(alike(8, 2), 1000), {}, alike(8, 1)});
  EXPECT_EQ(row.bytes, 16008);
  EXPECT_EQ(row.element_bytes, 8);
  EXPECT_TRUE(row.parts.empty());
}

TEST(Elements, NoneLeaveDataAlone) {
  std::vector<std::byte> data{std::byte{1}, std::byte{2}};
  reverse_elements({}, data);
  EXPECT_EQ(data[0], std::byte{1});
}

}  // namespace
