// Placeholders that are copied, moved, restored, linked, emptied or lost: whose the subfiles are.
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "subfile_fixture.hpp"

namespace {

using namespace collio::storage;
namespace fs = std::filesystem;
using collio::core::ErrorClass;
using collio::test::copy;
using collio::test::Subfiles;
using collio::test::with_bytes;

void set_mtime(const std::string& path, std::chrono::seconds from_now) {
  fs::last_write_time(path, fs::file_time_type::clock::now() + from_now);
}

TEST_F(Subfiles, ACopyOfThePlaceholderIsKnownByItsOriginal) {
  const SubfileSet set = with_bytes(make({10, 3}), 35);
  const std::string other = folder_ + "/copy";
  copy(set.path(), other);
  FoundFile found = look_for_subfiles(other);
  ASSERT_TRUE(found.set && found.error.ok());
  EXPECT_EQ(found.standing.owner, Owner::copy);
  EXPECT_EQ(found.standing.evidence, set.path());
  ASSERT_EQ(found.warnings.size(), 1u);
  EXPECT_NE(found.warnings[0].find("collio cp " + set.path()), std::string::npos) << found.warnings[0];
  const auto refusal = refusal_to_write(*found.set, found.standing);
  EXPECT_EQ(refusal.kind, ErrorClass::read_only);
  EXPECT_NE(refusal.message.find("collio cp " + set.path() + " " + other), std::string::npos);
  EXPECT_TRUE(is_needed(*found.set, found.standing).value());
  EXPECT_EQ(look_for_subfiles(set.path()).standing.owner, Owner::own);
  EXPECT_TRUE(is_needed(set, {}).value()) << "by the copy";
  fs::rename(set.path(), folder_ + "/renamed");
  EXPECT_EQ(look_for_subfiles(folder_ + "/renamed").standing.owner, Owner::own);
  EXPECT_EQ(look_for_subfiles(other).standing.evidence, folder_ + "/renamed");
  fs::remove(folder_ + "/renamed");
  found = look_for_subfiles(other);
  EXPECT_EQ(found.standing.owner, Owner::moved) << "nobody else has the set";
  EXPECT_TRUE(found.warnings.empty() && refusal_to_write(*found.set, found.standing).ok());
  EXPECT_FALSE(is_needed(*found.set, found.standing).value());
}

TEST_F(Subfiles, ARestoredFileOwnsItsSet) {
  const SubfileSet set = with_bytes(make({10, 3}), 35);
  copy(set.path(), folder_ + "/again");
  fs::rename(folder_ + "/again", set.path());
  EXPECT_EQ(look_for_subfiles(set.path()).standing.owner, Owner::moved);
}

TEST_F(Subfiles, WhereSubfilesLieElsewhereNothingTellsACopyFromARestoredFile) {
  SubfileSet set = make({10, 3});
  set.manifest().folders = {folder_ + "/elsewhere"};
  ASSERT_TRUE(fs::create_directory(folder_ + "/elsewhere"));
  ASSERT_TRUE(create_subfiles(set, {}, 0666).ok() && write_manifest(set).ok());
  copy(set.path(), folder_ + "/again");
  fs::rename(folder_ + "/again", set.path());
  const FoundFile found = look_for_subfiles(set.path());
  EXPECT_EQ(found.standing.owner, Owner::unknown);
  ASSERT_EQ(found.warnings.size(), 1u);
  EXPECT_NE(found.warnings[0].find("collio fsck --repair " + set.path()), std::string::npos);
  EXPECT_EQ(refusal_to_write(*found.set, found.standing).kind, ErrorClass::read_only);
  EXPECT_TRUE(is_needed(*found.set, found.standing).value());
}

TEST_F(Subfiles, AHardLinkKeepsTheSet) {
  const SubfileSet set = make({10, 3});
  EXPECT_FALSE(is_needed(set, {}).value());
  fs::create_hard_link(set.path(), folder_ + "/link");
  EXPECT_EQ(look_for_subfiles(folder_ + "/link").standing.owner, Owner::own);
  EXPECT_TRUE(is_needed(set, {}).value());
}

TEST_F(Subfiles, OfAnEmptiedFileStayWhileACopyNeedsThem) {
  const SubfileSet first = with_bytes(make({10, 3}), 35);
  copy(first.path(), folder_ + "/backup");
  const SubfileSet second = make({10, 2});  // empties the file first
  EXPECT_NE(first.folder(), second.folder());
  const FoundFile backup = look_for_subfiles(folder_ + "/backup");
  ASSERT_TRUE(backup.set && backup.error.ok());
  EXPECT_EQ(backup.standing.owner, Owner::moved) << "it takes the set over";
  EXPECT_TRUE(check_subfiles(*backup.set, {}).lack.ok());
}

TEST_F(Subfiles, OfAFileThatWasLostStayAndAreNamed) {
  const SubfileSet first = with_bytes(make({10, 3}), 35);
  if (first.manifest().born == 0) GTEST_SKIP() << "the file system does not say when files were made";
  ASSERT_EQ(::truncate(first.path().c_str(), 0), 0);
  EXPECT_TRUE(look_for_subfiles(first.path()).warnings.empty()) << "a program has emptied it";
  set_mtime(first.path(), std::chrono::seconds(-100));  // as the file system has it that lost the text
  const FoundFile found = look_for_subfiles(first.path());
  ASSERT_TRUE(found.empty && found.former && found.former->lost);
  ASSERT_EQ(found.warnings.size(), 1u);
  EXPECT_NE(found.warnings[0].find("has 35 bytes of it"), std::string::npos) << found.warnings[0];
  EXPECT_NE(found.warnings[0].find("collio fsck --repair " + first.folder()), std::string::npos);
  EXPECT_TRUE(remove_former(*found.former).ok());
  EXPECT_TRUE(fs::exists(first.subfile_path(2)) && fs::exists(first.manifest_path()));
}

TEST_F(Subfiles, OfAnEmptiedFileStayWhileAProgramHasThemOpen) {
  const SubfileSet first = with_bytes(make({10, 3}), 35);
  if (first.manifest().born == 0) GTEST_SKIP() << "the file system does not say when files were made";
  FoundFile open = look_for_subfiles(first.path());
  ASSERT_TRUE(open.use && open.use->error() == 0);
  ASSERT_EQ(::truncate(first.path().c_str(), 0), 0);
  const FoundFile found = look_for_subfiles(first.path());
  ASSERT_TRUE(found.former);
  EXPECT_TRUE(remove_former(*found.former).ok());
  EXPECT_TRUE(fs::exists(first.subfile_path(0)));
  open.use.reset();
  EXPECT_TRUE(remove_former(*found.former).ok());
  EXPECT_FALSE(fs::exists(first.folder()));
}

TEST_F(Subfiles, BytesThatAProgramWroteToThePlaceholderAreTold) {
  const SubfileSet set = with_bytes(make({10, 3}), 5000);
  const std::string text = read_text(set.path()).value();
  const auto warnings = [&](const std::string& content) {
    std::ofstream(set.path()) << content;
    return look_for_subfiles(set.path()).warnings.size();
  };
  EXPECT_EQ(warnings(text), 0u);
  EXPECT_EQ(warnings(text + "foreign"), 1u);
  std::string changed = text;
  changed.replace(changed.size() - 7, 7, "foreign");
  EXPECT_EQ(warnings(changed), 1u) << "the length is the same";
  const std::string head = set.placeholder().head();
  EXPECT_EQ(warnings(head), 0u) << "a join has begun";
  EXPECT_EQ(warnings(head + std::string(5000 - head.size(), '.')), 0u) << "a join was ended early";
}

TEST_F(Subfiles, AFolderKeepsFilesThatAreNotCollios) {
  const SubfileSet set = make({10, 3});
  std::ofstream(set.folder() + "/notes") << "keep";
  ASSERT_TRUE(remove_subfiles(set, {}).ok());
  EXPECT_TRUE(remove_folder(set).ok());
  EXPECT_FALSE(fs::exists(set.manifest_path()));
  EXPECT_TRUE(fs::exists(set.folder() + "/notes"));
}

TEST(NameForSet, FitsWhateverTheFilesName) {
  EXPECT_EQ(name_for_set("out.nc"), "out.nc");
  const std::string longest(231, 'a');
  EXPECT_EQ(name_for_set(longest), longest);
  for (const std::string begin : {"", "x"})
    for (std::size_t letters = 110; letters < 127; ++letters) {  // of two bytes each
      std::string name = begin;
      for (std::size_t i = 0; i < letters; ++i) name += "\xc3\xa4";
      const std::string one = name_for_set(name), other = name_for_set(name + "b");
      EXPECT_LE(one.size(), 231u);
      EXPECT_NE(one, other) << "two files' names";
      EXPECT_EQ(one == name ? 0u : (one.find('~') - begin.size()) % 2, 0u) << "a letter is cut";
    }
}

}  // namespace
