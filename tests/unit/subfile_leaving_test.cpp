// Files in subfiles whose names are deleted or given to other files.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <latch>
#include <thread>
#include <vector>

#include "storage/subfiles/leaving.hpp"
#include "subfile_fixture.hpp"

namespace {

using namespace collio::storage;
namespace fs = std::filesystem;
using collio::core::ErrorClass;
using collio::test::copy;
using collio::test::Subfiles;
using collio::test::with_bytes;

TEST_F(Subfiles, GoWithAFileThatIsDeletedOrReplaced) {
  const std::string path = with_bytes(make({10, 3}), 35).path(), by = folder_ + "/by";
  std::ofstream(by) << "new";
  {
    const SetUse use(path, SetUse::By::many);
    EXPECT_EQ(replace_file(path, by).error().kind, ErrorClass::in_use);
    EXPECT_EQ(delete_file(path).kind, ErrorClass::in_use);
  }
  EXPECT_EQ(replace_file(path, folder_ + "/out.collio/by").error().kind, ErrorClass::argument)
      << "another folder";
  EXPECT_EQ(replace_file(path, folder_ + "/none").error().kind, ErrorClass::no_such_file);
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
  EXPECT_EQ(replace_file(set.path(), set.path()).error().kind, ErrorClass::argument);
  EXPECT_EQ(replace_file(set.path(), folder_ + "/./" + "out").error().kind, ErrorClass::argument);
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

TEST_F(Subfiles, StayWhereTheNameHasBecomeAnotherFilesSinceTheLook) {
  SubfileSet set = make({10, 3});
  set.manifest().folders = {folder_ + "/elsewhere"};
  fs::create_directories(folder_ + "/elsewhere");
  fs::create_directories(folder_ + "/other/out.collio");
  ASSERT_TRUE(create_subfiles(set, {}, 0666).ok());
  set = with_bytes(set, 35);
  const FoundFile found = look_for_subfiles(set.path());
  fs::rename(set.manifest_path(), folder_ + "/other/out.collio/manifest");  // as `collio mv`
  fs::rename(set.path(), folder_ + "/other/out");
  std::ofstream(set.path()) << "new";
  LeavingName name(set.path());
  EXPECT_FALSE(name.hold(found));
  ASSERT_TRUE(name.error().ok());
  ASSERT_TRUE(name.remove_set().ok());
  EXPECT_TRUE(fs::exists(set.subfile_path(0))) << "of the file that was moved";
}

TEST_F(Subfiles, GoOnceWhereManyDeleteTheirNameAtTheSameTime) {
  for (int round = 0; round < 30; ++round) {
    const std::string path = with_bytes(make({10, 3}), 35).path();
    std::vector<collio::core::Error> errors(4);
    std::latch begin(4);
    std::vector<std::thread> ranks;
    for (collio::core::Error& error : errors)
      ranks.emplace_back([&] {
        begin.arrive_and_wait();
        error = delete_file(path);
      });
    for (std::thread& rank : ranks) rank.join();
    EXPECT_EQ(std::ranges::count_if(errors, [](const auto& error) { return error.ok(); }), 1);
    for (const collio::core::Error& error : errors)
      EXPECT_TRUE(error.ok() || error.kind == ErrorClass::no_such_file) << error.message;
    EXPECT_TRUE(fs::is_empty(folder_));
  }
}

TEST_F(Subfiles, OfADamagedManifestStayWhenTheirNameIsReplaced) {
  const SubfileSet set = with_bytes(make({10, 3}), 35);
  const std::string by = folder_ + "/by", text = read_text(set.manifest_path()).value();
  std::ofstream(by) << "new";
  for (const std::string& manifest : {"X" + text.substr(1), std::string()}) {
    if (manifest.empty())
      fs::remove(set.manifest_path());
    else
      std::ofstream(set.manifest_path()) << manifest;
    const auto refusal = delete_file(set.path());
    EXPECT_FALSE(refusal.ok());
    EXPECT_NE(refusal.message.find("rm " + set.path()), std::string::npos) << refusal.message;
    EXPECT_NE(refusal.message.find("collio fsck --orphans " + folder_), std::string::npos);
    EXPECT_TRUE(fs::exists(set.path()) && fs::exists(set.subfile_path(2))) << "all is there";
  }
  {
    const SetUse use(set.path(), SetUse::By::many);
    EXPECT_EQ(replace_file(set.path(), by).error().kind, ErrorClass::in_use);
  }
  const auto remark = replace_file(set.path(), by);
  ASSERT_TRUE(remark.ok()) << remark.error().message;
  EXPECT_NE(remark.value().find("collio fsck --orphans " + folder_), std::string::npos) << remark.value();
  EXPECT_EQ(read_text(set.path()).value(), "new");
  EXPECT_TRUE(fs::exists(set.subfile_path(2))) << "who knows whose bytes they are";
}

}  // namespace
