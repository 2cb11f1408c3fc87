// The file that the MPI library opened for a path with a driver's name before it.
#include "mpiio/library/library_path.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "library_here.hpp"
#include "temporary_folder.hpp"

namespace collio::mpiio {
namespace {

/// Of the library; "": it does not say.
std::string driver;

class LibraryPath : public ::testing::Test {
 protected:
  LibraryPath() : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(folder_.path());
    driver.clear();
    here_.calls.File_get_info = [](MPI_File, MPI_Info* info) {
      MPI_Info_create(info);
      if (!driver.empty()) MPI_Info_set(*info, "romio_filesystem_type", driver.c_str());
      return MPI_SUCCESS;
    };
  }
  ~LibraryPath() override { std::filesystem::current_path(before_); }
  static void make(const std::string& name) { std::ofstream{name}; }
  /// "": there is no such path
  static std::string path(const std::string& given) {
    const auto found = path_of_library(MPI_FILE_NULL, given);
    return found ? found.value() : "";
  }

 private:
  const std::filesystem::path before_;
  const test::TemporaryFolder folder_;
  test::LibraryHere here_;
};

TEST_F(LibraryPath, ADriverThatMakesPosixCallsIsLeftOut) {
  EXPECT_EQ(without_driver("ufs:/a/b"), "/a/b");
  EXPECT_EQ(without_driver("LUSTRE:/a:b"), "/a:b");
  EXPECT_EQ(without_driver("daos:/a"), "daos:/a");
  EXPECT_EQ(without_driver("/a:b"), "/a:b");
}

TEST_F(LibraryPath, WithRomioADriverIsNoPartOfTheName) {
  driver = "UFS: Generic ROMIO driver for all UNIX-like file systems";
  make("ufs:f");
  EXPECT_EQ(path("ufs:f"), "f") << "whatever files there are";
  EXPECT_EQ(path("f"), "f");
}

TEST_F(LibraryPath, WithAnotherLibraryItIsAPartIfTheFileIsThere) {
  EXPECT_EQ(path("ufs:f"), "f");
  make("ufs:f");
  EXPECT_EQ(path("ufs:f"), "ufs:f");
  make("f");
  EXPECT_EQ(path("ufs:f"), "") << "either may have been opened";
  make("x:f");
  EXPECT_EQ(path("x:f"), "x:f") << "x is no driver";
}

TEST_F(LibraryPath, DriversThatPassTheKernelByHaveNoPath) {
  driver = "DAOS: driver";
  EXPECT_EQ(path("/a"), "");
  driver = "UFS: driver";
  EXPECT_EQ(path("unheard:/a"), "");
}

}  // namespace
}  // namespace collio::mpiio
