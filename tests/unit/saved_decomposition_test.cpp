// The bytes of saved decompositions: what they give back, and that no damage passes.
#include "access/saved_decomposition.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace collio::access {
namespace {

using Numbers = std::vector<std::int64_t>;
using Maps = std::vector<std::shared_ptr<const Decomposition>>;

constexpr std::int64_t file_header = saved_header_bytes, file_entry = saved_entry_bytes;

Bytes file_of(const Maps& maps) {
  SavedHeader header{maps[0]->shape(), static_cast<std::int64_t>(maps.size()), 0, 0, 0};
  std::vector<SavedEntry> entries;
  Bytes all;
  for (const auto& map : maps) {
    const Bytes packed = pack_map(*map);
    entries.push_back({header.maps_begin() + static_cast<std::int64_t>(all.size()),
                       static_cast<std::int64_t>(packed.size()), header.elements, map->elements(),
                       checksum_of(packed)});
    all.insert(all.end(), packed.begin(), packed.end());
    header.elements += map->elements();
  }
  header.bytes = header.maps_begin() + static_cast<std::int64_t>(all.size());
  const auto first = pack_header(header);
  Bytes file(first.begin(), first.end());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto entry = pack_entry(header, static_cast<std::int64_t>(i), entries[i]);
    file.insert(file.end(), entry.begin(), entry.end());
  }
  file.insert(file.end(), all.begin(), all.end());
  return file;
}

/// What every rank reads, or the first error.
core::Error read_back(const Bytes& file, std::vector<Numbers>& found) {
  const auto size = static_cast<std::int64_t>(file.size());
  const auto header = read_header(file, size);
  if (!header) return header.error();
  for (std::int64_t rank = 0; rank < header.value().ranks; ++rank) {
    const ByteView bytes(file.data() + file_header + rank * file_entry, saved_entry_bytes);
    const auto entry = read_entry(header.value(), rank, bytes);
    if (!entry) return entry.error();
    const SavedEntry& at = entry.value();
    const ByteView map(file.data() + at.offset, static_cast<std::size_t>(at.bytes));
    const auto made = decomposition_of(header.value(), {rank, at, map});
    if (!made) return made.error();
    found.push_back(made.value()->indices());
  }
  return {};
}

Maps some_maps() {
  const Numbers shape{6, 8};
  return {Decomposition::map(shape, Numbers{7, 3, 3, -1, 40, 41, 42, 47, 0}).value(),
          Decomposition::box(shape, Numbers{1, 2}, Numbers{3, 4}).value(),
          Decomposition::map(shape, Numbers{}).value(),
          Decomposition::box(shape, Numbers{6, 0}, Numbers{0, 8}).value(),
          Decomposition::map(shape, Numbers{-1, -1}).value()};
}

TEST(SavedDecomposition, EveryRankGetsItsOwn) {
  std::vector<Numbers> found;
  const core::Error error = read_back(file_of(some_maps()), found);
  ASSERT_TRUE(error.ok()) << error.message;
  for (std::size_t rank = 0; rank < found.size(); ++rank)
    EXPECT_EQ(found[rank], some_maps()[rank]->indices());
}

TEST(SavedDecomposition, BoxesStayBoxes) {
  const auto box =
      Decomposition::box(Numbers{1 << 14, 1 << 14, 1 << 14}, Numbers{1, 2, 3}, Numbers{9999, 9999, 9999});
  const Bytes packed = pack_map(*box.value());
  EXPECT_EQ(packed.size(), 49U);
  SavedHeader header{box.value()->shape(), 1, box.value()->elements(), 0, 0};
  const SavedEntry entry{0, 49, 0, box.value()->elements(), checksum_of(packed)};
  const auto made = decomposition_of(header, {0, entry, packed});
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_TRUE(made.value()->as_box());
  EXPECT_EQ(made.value()->as_box()->count, (Numbers{9999, 9999, 9999}));
  Numbers some;
  ASSERT_TRUE(append_elements(header, {0, entry, packed}, 9999, 10001, some).ok());
  EXPECT_EQ(some, (Numbers{(1LL << 28) + 3 * (1LL << 14) + 3, (1LL << 28) + 3 * (1LL << 14) + 4}));
}

TEST(SavedDecomposition, NoDamagedByteAndNoCutPasses) {
  const Bytes file = file_of(some_maps());
  for (std::size_t at = 0; at < file.size(); ++at)
    for (const int bit : {0, 3, 7}) {
      Bytes damaged = file;
      damaged[at] = static_cast<std::uint8_t>(damaged[at] ^ (1 << bit));
      std::vector<Numbers> found;
      const core::Error error = read_back(damaged, found);
      EXPECT_EQ(error.kind, core::ErrorClass::bad_file) << "byte " << at;
    }
  for (std::size_t size = 0; size < file.size(); ++size) {
    std::vector<Numbers> found;
    EXPECT_FALSE(
        read_back(Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)), found).ok());
  }
}

std::string text_of(Bytes file, std::size_t at, std::uint8_t value) {
  file[at] = value;
  std::vector<Numbers> found;
  return read_back(file, found).message;
}

TEST(SavedDecomposition, ErrorsNameTheValueAndWhatIsAllowed) {
  const Bytes file = file_of(some_maps());
  EXPECT_NE(text_of(file, 0, 'x').find("begins with \"COLLIODC\""), std::string::npos);
  EXPECT_EQ(text_of(file, 8, 2), "its version is 2; allowed: 1");
  EXPECT_NE(text_of(file, 40, 99).find("header is damaged: its checksum is "), std::string::npos);
  EXPECT_NE(text_of(file, 104, 99).find("the entry of rank 0 is damaged"), std::string::npos);
  EXPECT_NE(text_of(file, file.size() - 1, 99).find("the map of rank 4 is damaged"), std::string::npos);
  std::vector<Numbers> found;
  EXPECT_NE(read_back(Bytes(200, 0), found).message.find("did not come to its end"), std::string::npos);
  Bytes longer = file;
  longer.push_back(0);
  EXPECT_NE(
      read_back(longer, found)
          .message.find(std::to_string(longer.size()) + " bytes; allowed: " + std::to_string(file.size())),
      std::string::npos);
}

TEST(SavedDecomposition, PartsOfAnotherFileDoNotPass) {
  Maps others = some_maps();
  others[4] = Decomposition::map(Numbers{6, 8}, Numbers{-1, 5}).value();
  Bytes file = file_of(some_maps());
  const Bytes other = file_of(others);
  std::swap_ranges(file.begin() + file_header, file.begin() + file_header + file_entry,
                   file.begin() + file_header + file_entry);
  std::vector<Numbers> found;
  EXPECT_EQ(read_back(file, found).kind, core::ErrorClass::bad_file);
  Bytes mixed = file_of(some_maps());
  ASSERT_LT(other.size(), 2 * mixed.size());
  std::copy_n(other.end() - 4, 4, mixed.end() - 4);
  EXPECT_EQ(read_back(mixed, found).kind, core::ErrorClass::bad_file);
}

TEST(SavedDecomposition, RightChecksumsOfWrongNumbersDoNotPass) {
  const Numbers shape{6, 8};
  const SavedHeader header{shape, 1, 1LL << 40, 0, 0};
  const auto refused = [&](const Bytes& map, std::int64_t elements) {
    const SavedEntry entry{0, static_cast<std::int64_t>(map.size()), 0, elements, checksum_of(map)};
    const auto made = decomposition_of(header, {0, entry, map});
    return !made && made.error().kind == core::ErrorClass::bad_file;
  };
  EXPECT_TRUE(refused({}, 0));
  EXPECT_TRUE(refused({9}, 0));
  Bytes box = pack_map(*some_maps()[1]);
  EXPECT_TRUE(refused(box, 13));
  box[1] = 5;
  EXPECT_TRUE(refused(box, 12));
  EXPECT_TRUE(refused(pack_map(*some_maps()[0]), 8));
  EXPECT_TRUE(refused(pack_map(*Decomposition::map(Numbers{49}, Numbers{48}).value()), 1));
}

}  // namespace
}  // namespace collio::access
