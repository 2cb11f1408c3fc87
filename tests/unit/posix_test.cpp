// POSIX storage on a temporary file: short reads, true byte counts, error classes.
#include <cerrno>
#include <cstring>

#include "storage/posix.hpp"
#include "temporary_file.hpp"

namespace collio::storage {
namespace {

using core::ErrorClass;
using test::TemporaryFile;

const std::byte* bytes_of(const std::string& text) { return reinterpret_cast<const std::byte*>(text.data()); }

std::unique_ptr<Storage> opened(const std::string& path, Access access = Access::read_write) {
  auto result = open_posix(path, access);
  EXPECT_TRUE(result.ok());
  return std::move(result.value());
}

/// What a read of `extent` brings, and no byte beyond it.
std::string read_of(Storage& file, const core::Extent& extent) {
  std::string buffer(static_cast<std::size_t>(extent.length) + 8, '#');
  const Transfer t = file.read(extent, reinterpret_cast<std::byte*>(buffer.data()));
  EXPECT_TRUE(t.error.ok()) << t.error.message;
  EXPECT_EQ(buffer.substr(static_cast<std::size_t>(t.bytes)),
            std::string(buffer.size() - static_cast<std::size_t>(t.bytes), '#'));
  return buffer.substr(0, static_cast<std::size_t>(t.bytes));
}

TEST(PosixStorage, WritesAtAnOffsetAndReadsItBack) {
  const TemporaryFile file("0123456789");
  const auto storage = opened(file.path());
  const std::string text = "abc";
  const Transfer t = storage->write({4, 3}, bytes_of(text));
  EXPECT_EQ(t.bytes, 3);
  EXPECT_TRUE(t.error.ok());
  EXPECT_TRUE(storage->sync().ok());
  EXPECT_EQ(file.content(), "0123abc789");
  EXPECT_EQ(read_of(*storage, {2, 6}), "23abc7");
}

TEST(PosixStorage, WritesBehindTheEndLeaveZeros) {
  const TemporaryFile file("ab");
  const std::string text = "xy";
  EXPECT_EQ(opened(file.path())->write({5, 2}, bytes_of(text)).bytes, 2);
  EXPECT_EQ(file.content(), std::string("ab\0\0\0xy", 7));
}

TEST(PosixStorage, ReadPastTheEndIsShortAndNoError) {
  const TemporaryFile file("0123456789");
  const auto storage = opened(file.path(), Access::read_only);
  EXPECT_EQ(read_of(*storage, {7, 100}), "789");
  EXPECT_EQ(read_of(*storage, {10, 4}), "");
  EXPECT_EQ(read_of(*storage, {std::int64_t{1} << 40, 4}), "");
  EXPECT_EQ(read_of(*storage, {3, 0}), "");
}

TEST(PosixStorage, MovesAllByOneCallOrSaysNo) {
  const TemporaryFile file("0123456789");
  const std::string text = "abc";
  std::string buffer(3, '#');
  auto* const to = reinterpret_cast<std::byte*>(buffer.data());
  const auto storage = opened(file.path());
  EXPECT_TRUE(storage->write_once({4, 3}, bytes_of(text)));
  EXPECT_EQ(file.content(), "0123abc789");
  EXPECT_TRUE(storage->read_once({3, 3}, to));
  EXPECT_EQ(buffer, "3ab");
  EXPECT_FALSE(storage->read_once({8, 3}, to)) << "past the end";
  EXPECT_FALSE(opened(file.path(), Access::read_only)->write_once({0, 3}, bytes_of(text)));
  auto alone = Descriptors::open(file.path(), Access::read_write, false);
  ASSERT_TRUE(alone.ok());
  PosixFile locked(std::move(alone.value()), Locks::all);
  EXPECT_FALSE(locked.read_once({0, 3}, to)) << "it takes a lock";
  EXPECT_FALSE(locked.write_once({0, 3}, bytes_of(text)));
  EXPECT_EQ(file.content(), "0123abc789");
}

TEST(PosixStorage, KeepsToItsAccess) {
  const TemporaryFile file("0123456789");
  std::byte buffer[4] = {};
  const Transfer written = opened(file.path(), Access::read_only)->write({0, 4}, buffer);
  EXPECT_EQ(written.bytes, 0);
  EXPECT_FALSE(written.error.ok());
  const Transfer read = opened(file.path(), Access::write_only)->read({0, 4}, buffer);
  EXPECT_EQ(read.bytes, 0);
  EXPECT_FALSE(read.error.ok());
  EXPECT_EQ(file.content(), "0123456789");
}

TEST(PosixStorage, OpenSaysWhatIsWrong) {
  const auto missing = open_posix(testing::TempDir() + "collio_there_is_no_such_file", Access::read_only);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().kind, ErrorClass::no_such_file);
  EXPECT_NE(missing.error().message.find("collio_there_is_no_such_file"), std::string::npos);
  const auto folder = open_posix(testing::TempDir(), Access::read_write);
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.error().kind, ErrorClass::bad_file);
}

TEST(PosixStorage, FullDeviceIsNoSpaceAndNamesTheOffset) {
  const auto full = open_posix("/dev/full", Access::write_only);
  if (!full.ok()) GTEST_SKIP() << "no /dev/full here";
  const std::string text = "abcd";
  const Transfer t = full.value()->write({4096, 4}, bytes_of(text));
  EXPECT_EQ(t.bytes, 0);
  EXPECT_EQ(t.error.kind, ErrorClass::no_space);
  EXPECT_NE(t.error.message.find("/dev/full"), std::string::npos);
  EXPECT_NE(t.error.message.find("4096"), std::string::npos);
  EXPECT_NE(t.error.message.find(std::strerror(ENOSPC)), std::string::npos);
}

TEST(PosixStorage, ErrorClassesFollowErrno) {
  const std::pair<int, ErrorClass> expected[] = {{ENOSPC, ErrorClass::no_space},
                                                 {EFBIG, ErrorClass::no_space},
                                                 {EDQUOT, ErrorClass::quota},
                                                 {EACCES, ErrorClass::access},
                                                 {EPERM, ErrorClass::access},
                                                 {EROFS, ErrorClass::read_only},
                                                 {ENOENT, ErrorClass::no_such_file},
                                                 {EISDIR, ErrorClass::bad_file},
                                                 {ENOTDIR, ErrorClass::bad_file},
                                                 {ENAMETOOLONG, ErrorClass::bad_file},
                                                 {ETXTBSY, ErrorClass::in_use},
                                                 {ENOMEM, ErrorClass::no_memory},
                                                 {EIO, ErrorClass::io},
                                                 {ESTALE, ErrorClass::io},
                                                 {12345, ErrorClass::io}};
  for (const auto& [error, kind] : expected) EXPECT_EQ(class_of_errno(error), kind) << std::strerror(error);
}

}  // namespace
}  // namespace collio::storage
