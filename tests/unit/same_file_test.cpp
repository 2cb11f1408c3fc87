// A file that has lost its name is opened through the process that has it; another file of that name never.
#include "storage/same_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <memory>

#include "storage/operation.hpp"

namespace collio::storage {
namespace {

ino_t inode_of(const Descriptors& d) {
  struct stat status {};
  fstat(d.buffered(), &status);
  return status.st_ino;
}

core::Result<Descriptors> open_late(const Holder& holder, const std::string& path) {
  return Descriptors::open_held(holder, path, Access::read_write, false, nullptr);
}

class SameFile : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(path_) << "first";
    auto opened = Descriptors::open(path_, Access::read_write, false);
    ASSERT_TRUE(opened.ok());
    first_ = std::make_unique<Descriptors>(std::move(opened.value()));
    holder_ = Holder::with(first_->buffered());
  }
  void TearDown() override { unlink(path_.c_str()); }

  /// The name is another file's.
  void replace() {
    unlink(path_.c_str());
    std::ofstream(path_) << "another";
  }

  const std::string path_ = testing::TempDir() + "collio_same_file." + std::to_string(getpid());
  std::unique_ptr<Descriptors> first_;
  Holder holder_;
};

TEST_F(SameFile, IsOpenedByItsNameWhileItHasThat) {
  holder_.process = 0;  // of another node: another number for the device, too
  holder_.device += 1;
  auto late = open_late(holder_, path_);
  ASSERT_TRUE(late.ok()) << late.error().message;
  EXPECT_EQ(inode_of(late.value()), inode_of(*first_));
}

TEST_F(SameFile, IsOpenedThroughItsHolderWithoutAName) {
  for (const bool replaced : {false, true}) {
    if (replaced)
      replace();
    else
      unlink(path_.c_str());
    auto late = open_late(holder_, path_);
    ASSERT_TRUE(late.ok()) << late.error().message;
    EXPECT_EQ(inode_of(late.value()), inode_of(*first_));
    EXPECT_EQ(late.value().path(), path_);
  }
}

TEST_F(SameFile, IsNotAnotherFileOfItsName) {
  replace();
  holder_.process = 0;
  EXPECT_EQ(open_late(holder_, path_).error().kind, core::ErrorClass::no_such_file);
  holder_.process = 1 << 30;  // there is no such process
  EXPECT_NE(open_late(holder_, path_).error().message.find("another file has this name now"),
            std::string::npos);
  unlink(path_.c_str());
  EXPECT_NE(open_late(holder_, path_).error().message.find("errno 2"), std::string::npos);
}

TEST_F(SameFile, ADeviceIsComparedOnANode) {
  holder_.device += 1;
  EXPECT_FALSE(open_late(holder_, path_).ok());
}

}  // namespace
}  // namespace collio::storage
