// What tells that subfiles may lie beside a file.
#include "storage/subfile_format/mark.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace {

TEST(Mark, OnlyAFolderIsTakenForOneOfSubfiles) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("collio_mark_test." + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::string path = folder / "data.collio.nc";
  std::ofstream(path) << "data";
  std::ofstream(folder / ".data.collio.nc.shared-pointer.1234") << "a killed job has left this";
  EXPECT_FALSE(collio_may_have_folder(path.c_str()));
  std::filesystem::create_directory(folder / "other.collio");
  EXPECT_TRUE(collio_may_have_folder(path.c_str()));
  std::filesystem::remove_all(folder);
}

}  // namespace
