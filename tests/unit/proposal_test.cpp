// What a file's ranks make of rank 0's word: the hints in force, by whoever gave them.
#include "engine/file/proposal.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "temporary_folder.hpp"

namespace collio::engine {
namespace {

TEST(Proposal, SettingsOfOtherLayersStandInPlaceOfHints) {
  FirstWord word;
  word.hints = {{"cb_nodes", "4"}, {"collio_path", "two_phase"}};
  word.settings = {{"cb_nodes", "6"}};
  const policy::Hints hints = hints_of(word);
  EXPECT_EQ(hints.aggregators, 6);
  EXPECT_EQ(hints.path, policy::Path::two_phase);
  EXPECT_EQ(hints.in_force.at("cb_nodes"), "6");
}

TEST(Proposal, FoldersThatRankZeroChoseAreTheFileS) {
  FirstWord word;
  word.hints = {{"collio_subfile_dirs", "/a:/b:/c"}, {"collio_subfiles", "auto"}};
  EXPECT_EQ(hints_of(word).subfiles, 3);
  word.found = {{"folders", "0 2 "}};
  EXPECT_EQ(hints_of(word).subfile_folders, (std::vector<std::string>{"/a", "/c"}));
  EXPECT_EQ(hints_of(word).subfiles, 2);
}

TEST(Proposal, HolesOfArraysInSubfilesAreNeverWritten) {
  FirstWord word;
  word.hints = {{"romio_ds_write", "enable"}};
  EXPECT_EQ(hints_of(word).write_holes, policy::Holes::sieve);
  word.found = {{"arrays", "1"}};
  EXPECT_EQ(hints_of(word).write_holes, policy::Holes::piecewise);
}

TEST(Proposal, APathIsTakenFromTheRoot) {
  EXPECT_EQ(absolute_path("/a/b"), "/a/b");
  EXPECT_EQ(absolute_path(""), "");
  const test::TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const std::string here = std::filesystem::current_path();
  EXPECT_EQ(absolute_path("f"), here + "/f");
  EXPECT_EQ(absolute_path("../f"), here + "/../f") << "links decide what .. is";
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace collio::engine
