// Where the bytes of array subfiles lie, against one byte at a time, and the text of a layout.
#include "storage/subfiles/array_layout.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace {

using namespace collio::storage;
using collio::core::Extent;
using Place = std::pair<std::int64_t, std::int64_t>;  ///< file and byte in it

using Numbers = std::mt19937;
std::int64_t up_to(Numbers& random, std::int64_t most) {
  return std::uniform_int_distribution<std::int64_t>(0, most)(random);
}

ArrayLayout random_layout(Numbers& random) {
  ArrayLayout layout{{1 + up_to(random, 9), 2 + up_to(random, 4)}, 1 + up_to(random, 5), {}};
  for (std::int64_t i = 0; i < layout.fixed.count; ++i)
    layout.records.push_back({up_to(random, layout.fixed.unit_bytes), up_to(random, layout.row_unit_bytes)});
  return layout;
}

/// Every byte below the end of some rows that a file has.
std::map<std::int64_t, Place> places_of(const ArrayLayout& layout) {
  std::map<std::int64_t, Place> places;
  std::int64_t byte = 0;
  for (std::int64_t file = 0; file < layout.fixed.count; ++file)
    for (std::int64_t k = 0; k < layout.fixed.unit_bytes; ++k) places[byte++] = {file, k};
  for (std::int64_t record = 0; record < 4; ++record)
    for (std::int64_t file = 0; file < layout.fixed.count; ++file, byte += layout.row_unit_bytes) {
      const Extent& first = layout.records[static_cast<std::size_t>(file)];
      for (std::int64_t k = 0; k < first.length; ++k)
        places[byte + k] = {file, first.offset + record * first.length + k};
    }
  return places;
}

TEST(ArrayLayout, MapsEveryByteWhereItsRowPutsIt) {
  Numbers random(2);
  for (int round = 0; round < 300; ++round) {
    const ArrayLayout layout = random_layout(random);
    const auto places = places_of(layout);
    const Extent extent{up_to(random, 40), up_to(random, 60)};
    std::int64_t next = 0;
    for_each_part(layout, extent, [&](const SubfilePart& part, std::int64_t position) {
      ASSERT_EQ(position, next);
      for (std::int64_t k = 0; k < part.extent.length; ++k) {
        const auto place = places.find(extent.offset + position + k);
        if (extent.offset + position + k > places.rbegin()->first) break;
        ASSERT_EQ(place == places.end(), part.subfile == SubfilePart::none);
        if (place == places.end()) continue;
        ASSERT_EQ(place->second, Place(part.subfile, part.extent.offset + k));
      }
      next += part.extent.length;
    });
    ASSERT_EQ(next, extent.length);
  }
}

TEST(ArrayLayout, LengthOfAFileTellsTheLengthOfAll) {
  Numbers random(3);
  for (int round = 0; round < 100; ++round) {
    const ArrayLayout layout = random_layout(random);
    for (const auto& [byte, place] : places_of(layout)) {
      const Extent& first = layout.records[static_cast<std::size_t>(place.first)];
      const bool in_row = byte >= layout.fixed.count * layout.fixed.unit_bytes;
      const bool has_records = first.length > 0 && place.second >= first.offset;
      if (!in_row && has_records)
        continue;  // bytes of records have a place in the stripe before the rows, too
      ASSERT_EQ(layout.file_bytes({place.first, {0, place.second + 1}}), byte + 1);
    }
    EXPECT_EQ(layout.file_bytes({1, {0, 0}}), 0);
  }
}

TEST(ArrayLayout, TextComesBack) {
  for (const std::string text : {"3 4096", "2 4096 8192 100 8000 52 0"}) {
    const auto layout = parse_array_layout(text);
    ASSERT_TRUE(layout) << text;
    EXPECT_EQ(text_of(*layout), text);
  }
  EXPECT_EQ(parse_array_layout("3 4096")->stripe_bytes(), 4096);
  EXPECT_EQ(parse_array_layout("2 4096 8192 100 8000 52 0")->stripe_bytes(), 8192);
}

TEST(ArrayLayout, TextsThatAreNone) {
  for (const std::string text :
       {"", "3", "0 4096", "3 0", "3 4096 x", "2 4096 8192", "2 4096 8192 100 8000", "2 4096 0 1 0 1 0",
        "2 4096 8192 100 8193 52 0", "2 4096 8192 -1 8 52 0", "2 4096 8192 1 8 52 0 7", "1 4096 8192 1 8"})
    EXPECT_FALSE(parse_array_layout(text)) << text;
}

}  // namespace
