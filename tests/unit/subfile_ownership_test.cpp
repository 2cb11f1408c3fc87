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
using collio::test::Subfiles;

/// Another inode with the same text, as `cp` and a restore make it.
void copy(const std::string& from, const std::string& to) { std::ofstream(to) << read_text(from).value(); }

void set_mtime(const std::string& path, std::chrono::seconds from_now) {
  fs::last_write_time(path, fs::file_time_type::clock::now() + from_now);
}

/// With bytes that count.
SubfileSet with_bytes(SubfileSet set, std::int64_t bytes) {
  set.manifest().file_bytes = bytes;
  set.manifest().complete = true;
  EXPECT_TRUE(grow_subfiles(set, {}, bytes, Flush::no).ok());
  EXPECT_TRUE(write_manifest(set).ok());
  return set;
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

TEST_F(Subfiles, GoWithAFileThatIsDeletedOrReplaced) {
  const std::string path = with_bytes(make({10, 3}), 35).path(), by = folder_ + "/by";
  std::ofstream(by) << "new";
  {
    const SetUse use(path, SetUse::By::many);
    EXPECT_EQ(replace_file(path, by).kind, ErrorClass::in_use);
    EXPECT_EQ(delete_file(path).kind, ErrorClass::in_use);
  }
  EXPECT_EQ(replace_file(path, folder_ + "/out.collio/by").kind, ErrorClass::argument) << "another folder";
  EXPECT_EQ(replace_file(path, folder_ + "/none").kind, ErrorClass::no_such_file);
  EXPECT_TRUE(look_for_subfiles(path).error.ok()) << "all is there";
  ASSERT_TRUE(replace_file(path, by).ok());
  EXPECT_EQ(read_text(path).value(), "new");
  EXPECT_FALSE(fs::exists(by) || fs::exists(folder_ + "/out.collio"));
  ASSERT_TRUE(delete_file(path).ok());
  with_bytes(make({10, 3}), 35);
  ASSERT_TRUE(delete_file(path).ok());
  EXPECT_TRUE(fs::is_empty(folder_));
  EXPECT_EQ(delete_file(path).kind, ErrorClass::no_such_file);
}

TEST_F(Subfiles, GoWithAFileThatMayBeReadAndDeletedOnly) {
  const SubfileSet set = with_bytes(make({10, 3}), 35);
  fs::permissions(set.path(), fs::perms(0444));
  for (const std::string& folder : {folder_, set.folder()}) fs::permissions(folder, fs::perms(0777));
  const uid_t user = ::geteuid();
  if (user == 0) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const collio::core::Error error = delete_file(set.path());
  ASSERT_EQ(::seteuid(user), 0);
  EXPECT_TRUE(error.ok()) << error.message;
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(Subfiles, StayWhereTheFileIsReplacedByItselfOrByItsCopy) {
  const SubfileSet set = with_bytes(make({10, 3}), 35);
  EXPECT_EQ(replace_file(set.path(), set.path()).kind, ErrorClass::argument);
  EXPECT_EQ(replace_file(set.path(), folder_ + "/./" + "out").kind, ErrorClass::argument);
  copy(set.path(), folder_ + "/copy");
  EXPECT_TRUE(replace_file(set.path(), folder_ + "/copy").ok());
  EXPECT_TRUE(fs::exists(set.subfile_path(0)));
  EXPECT_TRUE(look_for_subfiles(set.path()).set) << "the name leads to them";
}

TEST_F(Subfiles, StayWhereAProgramHasAFileThatMayNotBeWritten) {
  const SubfileSet set = with_bytes(make({10, 3}), 35);
  const SetUse use(set.path(), SetUse::By::many);
  fs::permissions(set.path(), fs::perms(0444));
  for (const std::string& folder : {folder_, set.folder()}) fs::permissions(folder, fs::perms(0777));
  const uid_t user = ::geteuid();
  if (user == 0) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const collio::core::Error error = delete_file(set.path());
  ASSERT_EQ(::seteuid(user), 0);
  EXPECT_EQ(error.kind, ErrorClass::in_use) << error.message;
  EXPECT_TRUE(fs::exists(set.subfile_path(0)));
}

TEST_F(Subfiles, StayWhereAnotherNameOfAReplacedFileLeadsToThem) {
  const SubfileSet set = with_bytes(make({10, 3}), 35);
  copy(set.path(), folder_ + "/copy");
  fs::create_hard_link(set.path(), folder_ + "/linked");
  for (int i = 0; i < 2; ++i) {  // the second is the file of the first
    std::ofstream(folder_ + "/by") << "new";
    ASSERT_TRUE(replace_file(set.path(), folder_ + "/by").ok());
    EXPECT_TRUE(look_for_subfiles(folder_ + "/linked").set);
  }
  fs::remove(folder_ + "/copy");
  fs::create_symlink(folder_ + "/linked", folder_ + "/link");
  ASSERT_TRUE(delete_file(folder_ + "/link").ok());
  EXPECT_TRUE(fs::exists(set.manifest_path()));
  ASSERT_TRUE(delete_file(folder_ + "/linked").ok());
  EXPECT_FALSE(fs::exists(set.folder()));
}

}  // namespace
