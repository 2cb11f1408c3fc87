// A file in subfiles: the mapping against one byte at a time, manifests with every byte changed, and the
// storage against a model in memory.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "subfile_fixture.hpp"

namespace {

using namespace collio::storage;
using collio::core::ErrorClass;
using collio::core::Extent;
using collio::test::Subfiles;

using Random = std::mt19937;
std::int64_t up_to(Random& random, std::int64_t most) {
  return std::uniform_int_distribution<std::int64_t>(0, most)(random);
}

TEST(SubfileLayout, MapsEveryByteWhereDealingStripesPutsIt) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    const SubfileLayout layout{1 + up_to(random, 9), 1 + up_to(random, 6)};
    std::vector<std::int64_t> filled(static_cast<std::size_t>(layout.count), 0);
    std::vector<std::pair<std::int64_t, std::int64_t>> place;
    for (std::int64_t byte = 0; byte < 200; ++byte) {
      const auto shares = layout.shares(byte);
      for (std::int64_t i = 0; i < layout.count; ++i)
        ASSERT_EQ(shares(i), filled[static_cast<std::size_t>(i)]) << byte << " bytes, subfile " << i;
      const std::int64_t subfile = byte / layout.unit_bytes % layout.count;
      std::int64_t& end = filled[static_cast<std::size_t>(subfile)];
      place.emplace_back(subfile, end++);
      ASSERT_EQ(layout.file_bytes({subfile, {0, end}}), byte + 1);
    }
    const Extent extent{up_to(random, 100), up_to(random, 99)};
    std::int64_t next = 0;
    for_each_part(layout, extent, [&](const SubfilePart& part, std::int64_t position) {
      ASSERT_EQ(position, next);
      for (std::int64_t k = 0; k < part.extent.length; ++k)
        ASSERT_EQ(place[static_cast<std::size_t>(extent.offset + position + k)],
                  std::pair(part.subfile, part.extent.offset + k));
      next += part.extent.length;
    });
    ASSERT_EQ(next, extent.length);
  }
}

TEST(SubfileLayout, EmptySubfileKnowsNoByte) { EXPECT_EQ((SubfileLayout{16, 3}.file_bytes({2, {0, 0}})), 0); }

Manifest example() {
  Manifest m;
  m.identity = 0x0123456789abcdef;
  m.base = "out %\n.nc";
  m.inode = 77;
  m.born = 1'700'000'000'123'456'789;
  m.layout = {4096, 3};
  m.folders = {".", "/scratch/b c"};
  m.file_bytes = 123456;
  m.synced_bytes = 1000;
  return m;
}

TEST(Manifest, ComesBackAsItWasWritten) {
  for (const bool complete : {false, true}) {
    Manifest m = example();
    m.complete = complete;
    const auto read = parse_manifest(text_of(m), "m");
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read.value(), m);
    EXPECT_EQ(read.value().base, "out %\n.nc");
  }
}

TEST(Manifest, EveryChangedMissingOrAddedByteIsAnError) {
  const std::string text = text_of(example());
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string damaged = text;
      damaged[at] = static_cast<char>(value);
      if (damaged == text) continue;
      const auto read = parse_manifest(damaged, "the/manifest");
      ASSERT_FALSE(read.ok()) << at << " " << value;
      ASSERT_EQ(read.error().kind, ErrorClass::bad_file);
      ASSERT_NE(read.error().message.find("the/manifest"), std::string::npos);
    }
    ASSERT_FALSE(parse_manifest(text.substr(0, at), "m").ok());
    ASSERT_FALSE(parse_manifest(text + text[at], "m").ok());
    ASSERT_FALSE(parse_manifest(std::string(text).insert(at, "0"), "m").ok()) << at;
  }
}

TEST(Placeholder, IsFoundOnlyWhereItIsWhole) {
  const Placeholder placeholder{42, "out.nc.collio"};
  const auto found = parse_placeholder(placeholder.text(), "f");
  ASSERT_TRUE(found.ok() && found.value());
  EXPECT_EQ(found.value()->identity, 42u);
  EXPECT_EQ(found.value()->folder, "out.nc.collio");
  EXPECT_TRUE(parse_placeholder("CDF\x01 any data", "f").ok());
  EXPECT_FALSE(parse_placeholder("CDF\x01 any data", "f").value());
  EXPECT_FALSE(parse_placeholder("", "f").value());
  const std::string head = placeholder.head();
  for (std::size_t cut = 20; cut < head.size(); ++cut)
    EXPECT_FALSE(parse_placeholder(head.substr(0, cut), "f").ok()) << cut;
  EXPECT_FALSE(parse_placeholder("collio placeholder 2 \n", "f").ok());
  EXPECT_FALSE(parse_placeholder(Placeholder{42, "../out"}.text(), "f").ok()) << "elsewhere";
}

void compare_with_model(Storage& file, const SubfileSet& set, Random& random) {
  std::vector<std::byte> model;
  for (int step = 0; step < 200; ++step) {
    const Extent extent{up_to(random, 300), up_to(random, 120)};
    const auto length = static_cast<std::size_t>(extent.length),
               offset = static_cast<std::size_t>(extent.offset);
    std::vector<std::byte> data(length, std::byte{0xee});
    const bool at_once = step % 3 == 0;
    Transfer moved;
    if (step % 2 == 0) {
      for (std::byte& b : data) b = static_cast<std::byte>(up_to(random, 255));
      moved = at_once ? file.write(extent, data.data()) : file.finish(file.start_write(extent, data.data()));
      ASSERT_TRUE(moved.error.ok()) << moved.error.message;
      ASSERT_EQ(moved.bytes, extent.length);
      if (length > 0) model.resize(std::max(model.size(), offset + length));
      std::copy(data.begin(), data.end(), model.begin() + (length > 0 ? extent.offset : 0));
    } else {
      moved = at_once ? file.read(extent, data.data()) : file.finish(file.start_read(extent, data.data()));
      ASSERT_TRUE(moved.error.ok()) << moved.error.message;
      const std::size_t there = offset >= model.size() ? 0 : std::min(length, model.size() - offset);
      ASSERT_EQ(moved.bytes, static_cast<std::int64_t>(there)) << "short at the end of the file";
      ASSERT_TRUE(std::equal(data.begin(), data.begin() + moved.bytes,
                             model.begin() + (there > 0 ? extent.offset : 0)));
    }
    ASSERT_EQ(length_by(set, {}).value(), static_cast<std::int64_t>(model.size()));
  }
}

TEST_F(Subfiles, ReadAndWriteAsOneFile) {
  using collio::policy::StorageKind;
  Random random(7);
  for (const auto kind : {StorageKind::posix, StorageKind::threads, StorageKind::uring})
    for (int round = 0; round < 4; ++round) {
      const SubfileSet set = make({1 + up_to(random, 40), 1 + up_to(random, 6)});
      const auto file = open(set, kind);
      compare_with_model(*file, set, random);
      EXPECT_TRUE(file->sync().ok() && file->close().ok());
    }
}

TEST_F(Subfiles, MissingOneIsNamedAndTheOthersAreWritten) {
  const SubfileSet set = make({10, 3});
  const auto file = open(set, collio::policy::StorageKind::posix);
  std::filesystem::remove(set.subfile_path(1));
  const std::vector<std::byte> data(60, std::byte{1});
  const Transfer moved = file->write({0, 60}, data.data());
  EXPECT_EQ(moved.bytes, 10);
  EXPECT_EQ(moved.error.kind, ErrorClass::no_such_file);
  EXPECT_NE(moved.error.message.find(set.subfile_path(1)), std::string::npos);
  EXPECT_EQ(std::filesystem::file_size(set.subfile_path(0)), 20u);
  EXPECT_EQ(std::filesystem::file_size(set.subfile_path(2)), 20u);
  EXPECT_EQ(check_subfiles(set, {}).lack.kind, ErrorClass::no_such_file);
  EXPECT_EQ(check_subfiles(set, {}).whole_bytes, -1);
}

TEST_F(Subfiles, OfArraysHaveTheNamesOfPnetcdfAndTheMasterComesLast) {
  const std::string path = folder_ + "/m.nc";
  const SubfileSet set = SubfileSet::of_arrays(path, {{20, 3}, 0, {}});
  for (std::int64_t i = 0; i < 3; ++i)
    EXPECT_TRUE(replace_text(set.subfile_path(i), std::string(static_cast<std::size_t>(12 + i), '.')).ok());
  EXPECT_TRUE(check_subfiles(set, {}).lack.ok());
  const auto file = open(set, collio::policy::StorageKind::posix);
  const std::vector<std::byte> data(2, std::byte{'a'});
  for (const std::int64_t at : {10, 31, 52}) EXPECT_EQ(file->write({at, 2}, data.data()).bytes, 2);
  EXPECT_EQ(read_text(path + ".subfile_0.nc").value(), "..........aa");
  EXPECT_EQ(read_text(path + ".subfile_1.nc").value(), "...........aa");
  EXPECT_EQ(read_text(path).value(), "............aa");
  std::vector<std::byte> gap(12, std::byte{'?'});
  EXPECT_EQ(file->read({8, 12}, gap.data()).bytes, 12);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(gap.data()), 12),
            std::string("..aa") + std::string(8, '\0'));
}

TEST_F(Subfiles, OfArraysHaveTheirBytesOfEachRecordTogether) {
  const std::string path = folder_ + "/m.nc";
  const SubfileSet set = SubfileSet::of_arrays(path, {{20, 2}, 10, {{5, 8}, {4, 3}}});
  for (const std::int64_t i : {0, 1}) EXPECT_TRUE(replace_text(set.subfile_path(i), ".....").ok());
  const auto file = open(set, collio::policy::StorageKind::posix);
  const std::vector<std::byte> data(20, std::byte{'a'});
  EXPECT_EQ(file->write({60, 8}, data.data()).bytes, 8) << "record 1 of the subfile";
  EXPECT_EQ(file->write({51, 2}, data.data()).bytes, 2) << "a part of record 0 of the master";
  EXPECT_EQ(read_text(path + ".subfile_0.nc").value(),
            std::string(".....") + std::string(8, '\0') + "aaaaaaaa");
  EXPECT_EQ(read_text(path).value(), ".....aa");
  std::vector<std::byte> row(20, std::byte{'?'});
  EXPECT_EQ(file->read({60, 20}, row.data()).bytes, 20);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(row.data()), 20), "aaaaaaaa" + std::string(12, '\0'));
  EXPECT_EQ(length_by(set, {}).value(), 68);
}

TEST_F(Subfiles, FindsTheSetOfAPlaceholder) {
  SubfileSet set = make({10, 3});
  FoundFile found = look_for_subfiles(set.path());
  ASSERT_TRUE(found.set && found.error.ok());
  EXPECT_EQ(found.set->manifest(), set.manifest());
  std::filesystem::rename(set.path(), folder_ + "/moved");
  EXPECT_TRUE(look_for_subfiles(folder_ + "/moved").error.ok()) << "the placeholder knows its folder";
  std::filesystem::rename(set.folder(), folder_ + "/elsewhere");
  EXPECT_EQ(look_for_subfiles(folder_ + "/moved").error.kind, ErrorClass::no_such_file);
}

TEST_F(Subfiles, OfAnEmptiedFileAreRemovedAndThoseOfAMovedFileAreNot) {
  const SubfileSet first = make({10, 3});
  if (first.manifest().born == 0) GTEST_SKIP() << "the file system does not say when files were made";
  const SubfileSet second = make({10, 2});  // empties the file first
  EXPECT_FALSE(std::filesystem::exists(first.subfile_path(0)));
  EXPECT_EQ(first.folder(), second.folder());
  std::filesystem::rename(second.path(), folder_ + "/moved");
  const SubfileSet third = make({10, 2});
  EXPECT_NE(third.folder(), second.folder());
  const FoundFile moved = look_for_subfiles(folder_ + "/moved");
  EXPECT_TRUE(moved.set && moved.error.ok());
  EXPECT_TRUE(std::filesystem::exists(second.subfile_path(1)));
}

TEST_F(Subfiles, ShorterThanTheManifestSaysIsAnError) {
  SubfileSet set = make({10, 3});
  set.manifest().file_bytes = 35;
  ASSERT_TRUE(grow_subfiles(set, {}, 35, Flush::no).ok());
  EXPECT_TRUE(check_subfiles(set, {}).lack.ok());
  EXPECT_EQ(length_by(set, {}).value(), 35);
  std::filesystem::resize_file(set.subfile_path(1), 9);
  EXPECT_EQ(check_subfiles(set, {}).lack.kind, ErrorClass::bad_file);
  EXPECT_EQ(check_subfiles(set, {}).whole_bytes, 19) << "stripe 1 has bytes 10 to 19";
  ASSERT_TRUE(resize_subfiles(set, {}, 12, Resize::to).ok());
  EXPECT_EQ(length_by(set, {}).value(), 12);
}

TEST_F(Subfiles, JoinLeavesAnotherFileOfThatNameAlone) {
  const SubfileSet set = make({10, 3});
  std::filesystem::rename(set.path(), folder_ + "/moved");
  ASSERT_TRUE(replace_text(set.path(), "another file").ok());
  JoinTally tally;
  for (const auto& error : {begin_join(set, 100), join_part(set, 100, {}, tally), end_join(set, 100)})
    EXPECT_EQ(error.kind, ErrorClass::bad_file);
  EXPECT_EQ(read_text(set.path()).value(), "another file");
}

TEST_F(Subfiles, JoinGivesTheBytesInOrder) {
  Random random(3);
  for (const std::int64_t bytes : {0, 1, 30, 90, 91, 1000, 20000})
    for (const std::int64_t ranks : {1, 2, 5}) {
      const SubfileSet set = make({1 + up_to(random, 500), 1 + up_to(random, 3)});
      std::vector<std::byte> data(static_cast<std::size_t>(bytes));
      for (std::byte& b : data) b = static_cast<std::byte>(up_to(random, 255));
      ASSERT_EQ(open(set, collio::policy::StorageKind::posix)->write({0, bytes}, data.data()).bytes, bytes);
      JoinTally tally;
      ASSERT_TRUE(begin_join(set, bytes).ok());
      for (std::int64_t rank = 0; rank < ranks; ++rank)
        ASSERT_TRUE(join_part(set, bytes, {rank, ranks}, tally).ok());
      EXPECT_TRUE(look_for_subfiles(set.path()).set) << "a placeholder until the end";
      ASSERT_TRUE(end_join(set, bytes).ok());
      const auto joined = read_text(set.path());
      ASSERT_TRUE(joined.ok());
      ASSERT_EQ(joined.value(), std::string(reinterpret_cast<const char*>(data.data()), data.size()));
      ASSERT_TRUE(remove_subfiles(set, {}).ok() && remove_folder(set).ok());
      EXPECT_FALSE(std::filesystem::exists(set.folder()));
    }
}

}  // namespace
