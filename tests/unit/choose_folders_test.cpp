// Of folders that a probe has chosen: the hints that follow, and what the report says.
#include "engine/open/choose_folders.hpp"

#include <gtest/gtest.h>

namespace collio::engine {
namespace {

using policy::Hints;

Hints hints_with(const std::string& subfiles) {
  return policy::parse_hints({{"collio_subfile_dirs", "/a:/b:/c:/d"}, {"collio_subfiles", subfiles}});
}

TEST(ChooseFolders, HintsHaveTheChosenFoldersAlone) {
  const Hints hints = with_folders(hints_with("8"), "0 2 ");
  EXPECT_EQ(hints.subfile_folders, (std::vector<std::string>{"/a", "/c"}));
  EXPECT_EQ(hints.in_force.at("collio_subfile_dirs"), "/a:/c");
  EXPECT_EQ(hints.subfiles, 8);
}

TEST(ChooseFolders, AnAutomaticNumberOfSubfilesFollowsThem) {
  ASSERT_EQ(hints_with("auto").subfiles, 4);
  EXPECT_EQ(with_folders(hints_with("auto"), "1 2 3 ").subfiles, 3);
}

TEST(ChooseFolders, ANumberBeyondTheFoldersIsNone) {
  EXPECT_EQ(with_folders(hints_with("2"), "3 4 0 ").subfile_folders, (std::vector<std::string>{"/d"}));
}

TEST(ChooseFolders, TheReportHasTheOldestMeasurementAndWhatWasLeftOut) {
  namespace probe = storage::probe;
  probe::Choice choice;
  choice.chosen = {0};
  choice.why = "because";
  choice.remarks = {"cache full"};
  choice.bytes = 7;
  choice.seconds = 0.5;
  choice.measurements.resize(2);
  choice.measurements[0].age_s = 30;
  choice.measurements[1].age_s = 20;
  choice.measurements[1].error = {core::ErrorClass::no_space, "/b: full"};
  const auto said = said_of({{"/a", "/a", {}}, {"/b", "/b", {}}}, choice);
  EXPECT_EQ(said.age_seconds, 30);
  EXPECT_EQ(said.why, "because");
  EXPECT_EQ(said.remarks, choice.remarks);
  EXPECT_EQ(said.bytes, 7);
  EXPECT_EQ(said.seconds, 0.5);
  ASSERT_EQ(said.left_out.size(), 1U);
  EXPECT_EQ(said.left_out[0], "/b: full");
}

}  // namespace
}  // namespace collio::engine
