// A file in subfiles where the kernel refuses, where another writes at the same time, and where a byte of
// what is written down is damaged. The program stands in front of some calls.
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <functional>
#include <set>
#include <thread>

#include "storage/posix.hpp"
#include "storage/subfile_format/mark.h"
#include "subfile_fixture.hpp"
#include "temporary_file.hpp"

namespace {

std::function<void()>* before_length_changes = nullptr;  ///< of a file, by whatever call
bool has_no_fallocate = false;
std::set<std::string>* flushed = nullptr;  ///< paths
std::set<std::string>* written_paths = nullptr;
std::set<std::int64_t>* written_offsets = nullptr;

std::string path_of(int fd) {
  std::string path(4096, '\0');
  const ssize_t n = readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path.data(), path.size());
  path.resize(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  return path;
}

void another_comes_first() {
  if (auto* const call = std::exchange(before_length_changes, nullptr)) (*call)();
}

}  // namespace

extern "C" int fallocate(int fd, int mode, off_t offset, off_t bytes) {
  another_comes_first();
  if (has_no_fallocate) return errno = EOPNOTSUPP, -1;
  return static_cast<int>(syscall(SYS_fallocate, fd, mode, offset, bytes));
}

extern "C" int ftruncate(int fd, off_t bytes) noexcept {
  another_comes_first();
  return static_cast<int>(syscall(SYS_ftruncate, fd, bytes));
}

extern "C" int fsync(int fd) {
  if (flushed) flushed->insert(path_of(fd));
  return static_cast<int>(syscall(SYS_fsync, fd));
}

extern "C" ssize_t pwrite(int fd, const void* data, size_t bytes, off_t offset) {
  if (written_paths) written_paths->insert(path_of(fd));
  if (written_offsets) written_offsets->insert(offset);
  return syscall(SYS_pwrite64, fd, data, bytes, offset);
}

/// As in glibc, where a file system has no fallocate().
extern "C" int posix_fallocate(int fd, off_t offset, off_t bytes) {
  if (!has_no_fallocate) return static_cast<int>(syscall(SYS_fallocate, fd, 0, offset, bytes));
  return pwrite(fd, "", 1, offset + bytes - 1) == 1 ? 0 : errno;
}

namespace {

using namespace collio::storage;
using collio::core::ErrorClass;
using collio::test::Subfiles;

/// A soft limit while it lives.
class Limit {
 public:
  Limit(__rlimit_resource what, rlim_t value) : what_(what) {
    ::getrlimit(what, &before_);
    const rlimit now{value, before_.rlim_max};
    ::setrlimit(what, &now);
  }
  ~Limit() { ::setrlimit(what_, &before_); }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

 private:
  __rlimit_resource what_;
  rlimit before_{};
};

std::string pattern(std::size_t bytes) {
  std::string text(bytes, '\0');
  for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>('A' + i % 26);
  return text;
}

void write_text(const SubfileSet& set, std::int64_t offset, const std::string& text) {
  StorageRequest request;
  request.kind = collio::policy::StorageKind::posix;
  auto opened = open_subfiled(set, request, 0);
  ASSERT_TRUE(opened.ok());
  const auto moved = opened.value().file->write({offset, static_cast<std::int64_t>(text.size())},
                                                reinterpret_cast<const std::byte*>(text.data()));
  ASSERT_EQ(moved.bytes, static_cast<std::int64_t>(text.size()));
}

/// What a program reads under this name, or the error that it gets.
collio::core::Result<std::string> content(const std::string& path) {
  const FoundFile found = look_for_subfiles(path);
  if (!found.error.ok()) return found.error;
  if (!found.set) return read_text(path);
  if (auto error = check_subfiles(*found.set, {}).lack; !error.ok()) return error;
  const auto bytes = length_by(*found.set, {});
  if (!bytes) return bytes.error();
  StorageRequest request;
  request.kind = collio::policy::StorageKind::posix;
  auto opened = open_subfiled(*found.set, request, 0);
  if (!opened) return opened.error();
  std::string text(static_cast<std::size_t>(bytes.value()), '?');
  const auto moved = opened.value().file->read({0, bytes.value()}, reinterpret_cast<std::byte*>(text.data()));
  if (!moved.error.ok()) return moved.error;
  text.resize(static_cast<std::size_t>(moved.bytes));
  return text;
}

TEST_F(Subfiles, GrowCutsNothingThatAnotherWritesAtTheSameTime) {
  const SubfileSet set = make({10, 3});
  std::function<void()> another = [&] { write_text(set, 0, pattern(3000)); };
  before_length_changes = &another;
  ASSERT_TRUE(grow_subfiles(set, {}, 60, Flush::no).ok());
  EXPECT_EQ(before_length_changes, nullptr) << "the length was changed";
  EXPECT_EQ(content(set.path()).value(), pattern(3000));
}

TEST_F(Subfiles, WithoutFallocateGrowTellsHowFarTheSubfilesGo) {
  SubfileSet set = make({10, 3});
  write_text(set, 0, pattern(14));
  write_text(set, 60, pattern(5));  // 15 bytes: stripe 1, and 10 to 13 of subfile 1
  has_no_fallocate = true;
  const auto grown = grow_subfiles(set, {}, 65, Flush::no);
  has_no_fallocate = false;
  ASSERT_TRUE(grown.ok());
  EXPECT_EQ(grown.value(), 14) << "of byte 14 the subfile has nothing";
  EXPECT_EQ(length_by(set, {}).value(), 65);
  set.manifest().file_bytes = grown.value();
  EXPECT_TRUE(check_subfiles(set, {}).lack.ok());
  set.manifest().file_bytes = grown.value() + 1;
  EXPECT_FALSE(check_subfiles(set, {}).lack.ok());
}

TEST_F(Subfiles, WithoutFallocateRoomIsNotMadeByWritingZeros) {
  const SubfileSet set = make({10, 3});
  std::set<std::string> written;
  written_paths = &written;
  has_no_fallocate = true;
  const auto error = resize_subfiles(set, {}, 60, Resize::allocate);
  has_no_fallocate = false;
  written_paths = nullptr;
  EXPECT_TRUE(error.ok());
  EXPECT_TRUE(written.empty()) << "zeros over what others write at the same time";
  EXPECT_EQ(length_by(set, {}).value(), 60);
}

TEST(PosixFile, WithoutFallocateRoomIsMadeBehindTheEndAlone) {
  const std::string content(5000, 'x');
  const collio::test::TemporaryFile file(content);
  auto opened = open_posix(file.path(), Access::read_write);
  ASSERT_TRUE(opened.ok());
  std::set<std::int64_t> offsets;
  written_offsets = &offsets;
  has_no_fallocate = true;
  EXPECT_TRUE(opened.value()->allocate(200000).ok());
  EXPECT_TRUE(opened.value()->allocate(300).ok());
  has_no_fallocate = false;
  written_offsets = nullptr;
  EXPECT_EQ(file.content(), content + std::string(195000, '\0'));
  ASSERT_FALSE(offsets.empty());
  EXPECT_EQ(*offsets.begin(), 5000);
}

TEST_F(Subfiles, TemporaryNamesCannotBeForeseen) {
  const SubfileSet set = make({10, 3});
  std::set<std::string> written;
  written_paths = &written;
  ASSERT_TRUE(write_manifest(set).ok() && write_manifest(set).ok());
  written_paths = nullptr;
  EXPECT_EQ(written.size(), 2u);
  for (const std::string& name : written)
    EXPECT_EQ(name.find("new." + std::to_string(::getpid()) + "."), std::string::npos)
        << "it can be foreseen";
}

TEST_F(Subfiles, JoinHasZerosWhereNobodyWrote) {
  const SubfileSet set = make({10, 3});
  write_text(set, 700, "end");  // behind the placeholder's text, which may not stay
  JoinTally tally;
  ASSERT_TRUE(begin_join(set, 703).ok());
  ASSERT_TRUE(join_part(set, 703, {0, 1}, tally).ok());
  ASSERT_TRUE(end_join(set, 703).ok());
  EXPECT_EQ(read_text(set.path()).value(), std::string(700, '\0') + "end");
}

TEST_F(Subfiles, JoinOpensNothingWhereItHasNoPiece) {
  const SubfileSet set = make({1000, 3});
  write_text(set, 0, pattern(10));
  JoinTally tally;
  std::set<std::string> paths;
  ASSERT_TRUE(begin_join(set, 10).ok());
  flushed = &paths;
  EXPECT_TRUE(join_part(set, 10, {1, 3}, tally).ok());
  flushed = nullptr;
  EXPECT_TRUE(paths.empty());
}

TEST_F(Subfiles, FlushReachesAllThatMakesTheFile) {
  const SubfileSet set = make({10, 3});
  write_text(set, 55, pattern(5));
  std::set<std::string> paths;
  flushed = &paths;
  const auto grown = grow_subfiles(set, {}, 60, Flush::yes);
  const auto named = flush_names(set, {});
  flushed = nullptr;
  ASSERT_TRUE(grown.ok() && named.ok());
  for (std::int64_t i = 0; i < 3; ++i) EXPECT_TRUE(paths.contains(set.subfile_path(i))) << i;
  EXPECT_TRUE(paths.contains(set.folder()) && paths.contains(folder_));
}

TEST_F(Subfiles, AFileThatCannotBeReadIsNotTakenForAnOrdinaryOne) {
  const SubfileSet set = make({10, 3});
  {
    const Limit none(RLIMIT_NOFILE, 3);
    const FoundFile found = look_for_subfiles(set.path());
    EXPECT_FALSE(found.error.ok());
    EXPECT_NE(found.error.message.find("errno " + std::to_string(EMFILE)), std::string::npos);
  }
  const uid_t before = ::geteuid();
  const std::string empty = folder_ + "/empty";
  { const OpenedFile made(empty, O_WRONLY | O_CREAT, 0200); }
  ::chmod(folder_.c_str(), 0755);
  ::chmod(set.path().c_str(), 0222);
  ASSERT_EQ(before == 0 ? ::seteuid(65534) : 0, 0);
  const FoundFile unreadable = look_for_subfiles(set.path()), without = look_for_subfiles(empty);
  ASSERT_EQ(::seteuid(before), 0);
  EXPECT_EQ(unreadable.error.kind, ErrorClass::access);
  EXPECT_NE(unreadable.error.message.find(set.path()), std::string::npos);
  EXPECT_TRUE(without.error.ok() && without.empty) << "an empty file is no placeholder, readable or not";
  EXPECT_TRUE(look_for_subfiles(folder_ + "/nothing").error.ok());
}

TEST_F(Subfiles, AFileForWritingOnlyIsOrdinaryWhereNoFolderOfSubfilesLies) {
  const std::string path = folder_ + "/log";
  {
    const OpenedFile made(path, O_WRONLY | O_CREAT, 0200);
    ASSERT_EQ(write_all_at(made.fd(), "a program's bytes", 0), 0);
  }
  ::chmod(folder_.c_str(), 0755);
  ::chmod(path.c_str(), 0222);
  const uid_t before = ::geteuid();
  ASSERT_EQ(before == 0 ? ::seteuid(65534) : 0, 0);
  const FoundFile alone = look_for_subfiles(path);
  const int may_be = collio_may_be_placeholder(path.c_str());
  ASSERT_EQ(::seteuid(before), 0);
  EXPECT_TRUE(alone.error.ok() && !alone.set && !alone.empty) << alone.error.message;
  EXPECT_EQ(may_be, 0);
  ASSERT_EQ(::mkdir((folder_ + "/other.collio-7").c_str(), 0755), 0);  // a placeholder may have been renamed
  ASSERT_EQ(before == 0 ? ::seteuid(65534) : 0, 0);
  EXPECT_EQ(look_for_subfiles(path).error.kind, ErrorClass::access);
  EXPECT_EQ(collio_may_be_placeholder(path.c_str()), 1);
  ASSERT_EQ(::seteuid(before), 0);
}

TEST_F(Subfiles, AreInUseWhileAFileIsOpen) {
  const SubfileSet set = make({10, 3});
  FoundFile one = look_for_subfiles(set.path()), two = look_for_subfiles(set.path());
  ASSERT_TRUE(one.use && two.use);
  EXPECT_EQ(one.use->error(), 0);
  EXPECT_EQ(SetUse(set.path(), SetUse::By::one).error(), EAGAIN);
  one.use.reset();
  EXPECT_EQ(SetUse(set.path(), SetUse::By::one).error(), EAGAIN);
  two.use.reset();
  std::optional<SetUse> alone(std::in_place, set.path(), SetUse::By::one);
  EXPECT_EQ(alone->error(), 0);
  FoundFile after;
  std::thread opening([&] { after = look_for_subfiles(set.path()); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ASSERT_EQ(::truncate(set.path().c_str(), 0), 0);
  alone.reset();
  opening.join();
  EXPECT_FALSE(after.set) << "what it had seen before it waited is not there any more";
  EXPECT_TRUE(after.empty);
}

TEST_F(Subfiles, RemovedWhileOneLooksAreNotMissing) {
  const SubfileSet set = make({10, 3});
  std::optional<SetUse> alone(std::in_place, set.path(), SetUse::By::one);
  std::filesystem::remove(set.manifest_path());  // as a join does when the file is an ordinary one
  FoundFile after;
  std::thread opening([&] { after = look_for_subfiles(set.path()); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::ofstream(set.path(), std::ios::trunc) << "joined";
  alone.reset();
  opening.join();
  EXPECT_TRUE(after.error.ok()) << after.error.message;
  EXPECT_FALSE(after.set || after.empty);
}

TEST_F(Subfiles, OfAnotherFileStayThoughItHadTheSameInode) {
  SubfileSet first = make({10, 3});
  std::uint64_t identity = first.manifest().identity;
  for (const std::int64_t born : {first.manifest().born + 1, std::int64_t{0}}) {
    ASSERT_EQ(::truncate(first.path().c_str(), 0), 0);
    SubfileSet next(first.path(), "out.collio", first.manifest());
    next.manifest().identity = ++identity;
    next.manifest().born = born;
    ASSERT_TRUE(make_folder(next).ok());
    EXPECT_NE(next.folder(), first.folder());
    EXPECT_TRUE(std::filesystem::exists(first.subfile_path(0)));
    EXPECT_TRUE(std::filesystem::exists(first.manifest_path()));
  }
}

TEST_F(Subfiles, APlaceholderThatIsWrittenInPartIsTakenBack) {
  const SubfileSet set = make({10, 3});
  ASSERT_EQ(::truncate(set.path().c_str(), 0), 0);
  auto* const before = std::signal(SIGXFSZ, SIG_IGN);
  {
    const Limit ten(RLIMIT_FSIZE, 10);
    EXPECT_EQ(write_placeholder(set).kind, class_of_errno(EFBIG));
  }
  std::signal(SIGXFSZ, before);
  EXPECT_EQ(std::filesystem::file_size(set.path()), 0u);
}

TEST_F(Subfiles, TooManyOpenNamesTheNumberAndTheLimit) {
  const SubfileSet set = make({10, 80});
  const auto file = open(set, collio::policy::StorageKind::posix);
  const std::string text = pattern(800);
  const Limit few(RLIMIT_NOFILE, 40);
  const Transfer moved = file->write({0, 800}, reinterpret_cast<const std::byte*>(text.data()));
  ASSERT_FALSE(moved.error.ok());
  EXPECT_NE(moved.error.message.find(" of the 80 subfiles of " + set.path()), std::string::npos)
      << moved.error.message;
  EXPECT_NE(moved.error.message.find("may have 40 descriptors"), std::string::npos) << moved.error.message;
}

void write_whole(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

TEST_F(Subfiles, DamagedInAnyByteNeverGiveOtherData) {
  SubfileSet set = make({7, 3});
  const std::string data = pattern(100);
  write_text(set, 0, data);
  set.manifest().file_bytes = 100;
  set.manifest().complete = true;
  ASSERT_TRUE(write_manifest(set).ok());
  for (const std::string& path : {set.path(), set.manifest_path()}) {
    const std::string text = read_text(path).value();
    const auto check = [&](const std::string& damaged, const std::string& what) {
      write_whole(path, damaged);
      const auto read = content(set.path());
      if (read.ok())
        ASSERT_EQ(read.value(), data) << path << ", " << what;
      else
        ASSERT_FALSE(read.error().message.empty());
    };
    for (std::size_t at = 0; at < text.size(); ++at) {
      for (const int flip : {0x01, 0x02, 0x10, 0x20, 0x80, 0xff}) {
        std::string damaged = text;
        damaged[at] = static_cast<char>(damaged[at] ^ flip);
        check(damaged, "byte " + std::to_string(at) + " flipped by " + std::to_string(flip));
      }
      // An empty file under the name is one that a program has emptied.
      if (at > 0 || path != set.path()) check(text.substr(0, at), "cut at " + std::to_string(at));
    }
    write_whole(path, text);
    ASSERT_EQ(content(set.path()).value(), data);
  }
}

TEST_F(Subfiles, AShortFileThatBeginsAsAPlaceholderIsAnOrdinaryOne) {
  for (const std::string text : {"c", "collio", "collio plan"}) {
    write_whole(folder_ + "/small", text);
    EXPECT_EQ(content(folder_ + "/small").value(), text);
  }
}

}  // namespace
