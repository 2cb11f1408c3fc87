// Every kind of storage against a plain file: the same bytes, the same counts and errors, however many
// transfers are under way.
#include "storage/kinds.hpp"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <numeric>
#include <thread>

#include "access/buffer.hpp"
#include "random_access.hpp"
#include "temporary_file.hpp"

namespace collio::storage {
namespace {

using core::ErrorClass;
using policy::StorageKind;
using test::Dice;
using test::TemporaryFile;

const std::byte* bytes_of(const std::string& text) { return reinterpret_cast<const std::byte*>(text.data()); }
std::byte* bytes_of(std::string& text) { return reinterpret_cast<std::byte*>(text.data()); }

std::string random_text(Dice& dice, std::int64_t bytes) {
  std::string text(static_cast<std::size_t>(bytes), ' ');
  for (char& c : text) c = static_cast<char>(dice.pick(0, 255));
  return text;
}

class StorageKinds : public testing::TestWithParam<StorageKind> {
 protected:
  /// Now as on a local file system, now as on one behind a network.
  std::unique_ptr<Storage> opened(const std::string& path, Access access = Access::read_write,
                                  bool direct = false) {
    machine::StorageModel model = model_of(path);
    if (++opened_ % 2 == 0) model.aggregators_per_core = 0;
    auto result = open_storage({path, access, model, GetParam(), direct, 3});
    if (!result.ok()) {
      ADD_FAILURE() << result.error().message;
      return make_null();
    }
    EXPECT_TRUE(!result.value().declined || GetParam() == StorageKind::uring) << result.value().reason;
    return std::move(result.value().file);
  }

 private:
  int opened_ = 0;
};

TEST_P(StorageKinds, ManyTransfersUnderWayGiveTheSameBytes) {
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    Dice dice(seed);
    TemporaryFile file(random_text(dice, dice.pick(0, 300000)));
    std::string expected = file.content();
    const auto storage = opened(file.path());
    std::vector<core::Extent> extents;
    for (std::int64_t at = dice.pick(0, 50); extents.size() < 300;
         at = extents.back().end() + dice.pick(0, 900))
      extents.push_back({at, dice.pick(0, 5000)});
    std::shuffle(extents.begin(), extents.end(), std::mt19937(seed));
    std::vector<std::string> data;
    for (const core::Extent& e : extents) {
      data.push_back(random_text(dice, e.length));
      if (e.length == 0) continue;
      if (expected.size() < static_cast<std::size_t>(e.end()))
        expected.resize(static_cast<std::size_t>(e.end()), '\0');
      expected.replace(static_cast<std::size_t>(e.offset), data.back().size(), data.back());
    }
    std::vector<Ticket> tickets;
    for (std::size_t i = 0; i < extents.size(); ++i)
      tickets.push_back(storage->start_write(extents[i], bytes_of(data[i])));
    for (std::size_t i = extents.size(); i-- > 0;) {
      const Transfer t = storage->finish(tickets[i]);
      EXPECT_TRUE(t.error.ok()) << t.error.message;
      EXPECT_EQ(t.bytes, extents[i].length);
    }
    ASSERT_EQ(file.content(), expected) << "seed " << seed;
    std::vector<std::string> found;
    for (const core::Extent& e : extents) found.emplace_back(static_cast<std::size_t>(e.length), '#');
    for (std::size_t i = 0; i < extents.size(); ++i)
      tickets[i] = storage->start_read(extents[i], bytes_of(found[i]));
    for (std::size_t i = 0; i < extents.size(); ++i)
      EXPECT_EQ(storage->finish(tickets[i]).bytes, extents[i].length);
    ASSERT_EQ(found, data) << "seed " << seed;
  }
}

TEST_P(StorageKinds, AskingIsEnoughToGetItDone) {
  const TemporaryFile file;
  const auto storage = opened(file.path());
  const std::string text(1 << 20, 'x');
  const Ticket one = storage->start_write({0, 1 << 20}, bytes_of(text)),
               two = storage->start_write({1 << 20, 5}, bytes_of(text));
  for (int waits = 0; !storage->done(one) || !storage->done(two); ++waits) {
    ASSERT_LT(waits, 20000);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(file.content(), text + "xxxxx");
  EXPECT_EQ(storage->finish(two).bytes, 5);
  EXPECT_EQ(storage->finish(one).bytes, 1 << 20);
}

TEST_P(StorageKinds, TransfersGoOnWhenTheThreadThatBeganThemEnds) {
  constexpr std::int64_t bytes = 4 << 20;
  constexpr std::size_t count = 24;
  const TemporaryFile file;
  const auto storage = opened(file.path());
  std::vector<std::string> data, found(count, std::string(bytes, '#'));
  for (std::size_t i = 0; i < count; ++i) data.emplace_back(bytes, static_cast<char>('a' + i));
  for (const bool write : {true, false}) {
    std::vector<Ticket> tickets;
    std::thread([&] {
      for (std::size_t i = 0; i < count; ++i) {
        const core::Extent extent{static_cast<std::int64_t>(i) * bytes, bytes};
        tickets.push_back(write ? storage->start_write(extent, bytes_of(data[i]))
                                : storage->start_read(extent, bytes_of(found[i])));
      }
    }).join();
    for (const Ticket ticket : tickets) {
      const Transfer t = storage->finish(ticket);
      EXPECT_TRUE(t.error.ok()) << t.error.message;
      EXPECT_EQ(t.bytes, bytes);
    }
  }
  EXPECT_TRUE(found == data);
}

TEST_P(StorageKinds, WaitsForTransfersWhenItIsClosed) {
  const TemporaryFile file;
  const std::string text(3 << 20, 'y');
  {
    const auto storage = opened(file.path());
    for (std::int64_t i = 0; i < 3; ++i) storage->start_write({i << 20, 1 << 20}, bytes_of(text));
  }
  EXPECT_EQ(file.content(), text);
}

TEST_P(StorageKinds, ReadPastTheEndIsShortAndNoError) {
  const TemporaryFile file("0123456789");
  const auto storage = opened(file.path(), Access::read_only);
  for (const auto& [extent, expected] : {std::pair{core::Extent{7, 100}, "789"},
                                         {{10, 4}, ""},
                                         {{std::int64_t{1} << 40, 4}, ""},
                                         {{3, 0}, ""}}) {
    std::string found(static_cast<std::size_t>(extent.length), '#');
    const Transfer t = storage->finish(storage->start_read(extent, bytes_of(found)));
    EXPECT_TRUE(t.error.ok()) << t.error.message;
    EXPECT_EQ(found.substr(0, static_cast<std::size_t>(t.bytes)), expected);
  }
}

TEST_P(StorageKinds, KeepsToItsAccess) {
  const TemporaryFile file("0123456789");
  std::byte buffer[4] = {};
  const auto reader = opened(file.path(), Access::read_only),
             writer = opened(file.path(), Access::write_only);
  for (const Transfer& t : {reader->finish(reader->start_write({0, 4}, buffer)),
                            writer->finish(writer->start_read({0, 4}, buffer))}) {
    EXPECT_EQ(t.bytes, 0);
    EXPECT_EQ(t.error.kind, ErrorClass::io) << t.error.message;
    EXPECT_NE(t.error.message.find(file.path()), std::string::npos);
  }
  EXPECT_EQ(file.content(), "0123456789");
}

TEST_P(StorageKinds, CountsTheBytesWrittenBeforeTheFileSizeLimit) {
  const TemporaryFile file;
  const auto storage = opened(file.path());
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto signal_before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 1000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string text(3000, 'x');
  const Ticket good = storage->start_write({0, 400}, bytes_of(text)),
               bad = storage->start_write({400, 3000}, bytes_of(text));
  const Transfer second = storage->finish(bad), first = storage->finish(good);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, signal_before);
  EXPECT_EQ(first.bytes, 400);
  EXPECT_TRUE(first.error.ok());
  EXPECT_EQ(second.bytes, 600);
  EXPECT_EQ(second.error.kind, ErrorClass::no_space);
  EXPECT_NE(second.error.message.find("offset 1000"), std::string::npos) << second.error.message;
}

TEST_P(StorageKinds, FullFileSystemIsNoSpaceAfterTheBytesThatFitted) {
  std::string folder = testing::TempDir() + "collio_small_XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  if (::mount("none", folder.c_str(), "tmpfs", 0, "size=64k") != 0) {
    ::rmdir(folder.c_str());
    GTEST_SKIP() << "mounting needs rights";
  }
  {
    const std::string path = folder + "/file";
    std::ofstream(path, std::ios::binary) << "";
    const auto storage = opened(path);
    const std::string text(100 << 10, 'z');
    const Transfer t = storage->finish(storage->start_write({0, 100 << 10}, bytes_of(text)));
    EXPECT_EQ(t.bytes, 64 << 10);
    EXPECT_EQ(t.error.kind, ErrorClass::no_space) << t.error.message;
  }
  EXPECT_EQ(::umount(folder.c_str()), 0);
  ::rmdir(folder.c_str());
}

TEST_P(StorageKinds, PastThePageCacheTheBytesAreTheSame) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    Dice dice(seed);
    TemporaryFile file(random_text(dice, dice.pick(0, 50000)));
    std::string expected = file.content();
    const auto storage = opened(file.path(), Access::read_write, true);
    if (!storage->remarks().empty()) GTEST_SKIP() << storage->remarks() << " in " << testing::TempDir();
    access::Buffer buffer(1 << 20);
    std::int64_t at = dice.pick(0, 3) * 4096 + (dice.chance(2) ? dice.pick(0, 4095) : 0);
    std::vector<Ticket> tickets;
    std::byte* from = buffer.data() + (dice.chance(2) ? at % 4096 : dice.pick(0, 5000));
    for (int i = 0; i < 8; ++i) {
      const std::int64_t length =
          dice.pick(0, 60000) / (dice.chance(2) ? 1 : 4096) * (dice.chance(2) ? 1 : 2);
      const std::string text = random_text(dice, length);
      std::copy_n(bytes_of(text), length, from);
      if (expected.size() < static_cast<std::size_t>(at + length))
        expected.resize(static_cast<std::size_t>(at + length), '\0');
      expected.replace(static_cast<std::size_t>(at), text.size(), text);
      tickets.push_back(storage->start_write({at, length}, from));
      from += length;
      at += length;
    }
    for (const Ticket ticket : tickets) ASSERT_TRUE(storage->finish(ticket).error.ok());
    EXPECT_EQ(storage->remarks(), "");
    ASSERT_EQ(file.content(), expected) << "seed " << seed;
    const std::int64_t begin = dice.pick(0, 2) * 4096;
    const Transfer t = storage->finish(storage->start_read({begin, 1 << 20}, buffer.data()));
    ASSERT_EQ(t.bytes, std::max<std::int64_t>(0, static_cast<std::int64_t>(expected.size()) - begin))
        << "seed " << seed;
    ASSERT_TRUE(std::equal(buffer.data(), buffer.data() + t.bytes, bytes_of(expected) + begin))
        << "seed " << seed;
  }
}

TEST_P(StorageKinds, AnnouncedBuffersMoveTheSameBytes) {
  const TemporaryFile file;
  const auto storage = opened(file.path());
  access::Buffer one(1 << 16), other(1 << 16);
  std::fill_n(one.data(), 1 << 16, std::byte{'1'});
  std::fill_n(other.data(), 1 << 16, std::byte{'2'});
  const std::span<std::byte> both[] = {{one.data(), 1 << 16}, {other.data(), 1 << 16}};
  for (int times = 0; times < 2; ++times) {
    const core::Error error = storage->register_buffers(both);
    ASSERT_TRUE(error.ok()) << error.message;
    const std::string elsewhere = "333";
    for (const Ticket t :
         {storage->start_write({0, 5}, one.data() + 7), storage->start_write({5, 4}, other.data()),
          storage->start_write({9, 3}, bytes_of(elsewhere))})
      EXPECT_TRUE(storage->finish(t).error.ok());
    EXPECT_EQ(file.content(), "111112222333");
    EXPECT_EQ(storage->finish(storage->start_read({8, 4}, one.data() + 20)).bytes, 4);
    EXPECT_EQ(std::string(reinterpret_cast<char*>(one.data()) + 18, 7), "1123331");
    std::fill_n(one.data() + 20, 4, std::byte{'1'});
  }
  EXPECT_TRUE(storage->register_buffers({}).ok());
}

INSTANTIATE_TEST_SUITE_P(Each, StorageKinds,
                         testing::Values(StorageKind::posix, StorageKind::threads, StorageKind::uring),
                         [](const auto& one) { return std::string(policy::name_of(one.param)); });

Opened choice(const std::string& path, machine::StorageModel model,
              StorageKind kind = StorageKind::automatic) {
  auto opened = open_storage({path, Access::read_write, std::move(model), kind, false, 2});
  EXPECT_TRUE(opened.ok());
  return std::move(opened.value());
}

TEST(StorageChoice, MemoryFileSystemsAreForTheCaller) {
  const TemporaryFile file("abc");
  machine::StorageModel memory;
  memory.name = "tmpfs";
  memory.in_memory = true;
  const Opened chosen = choice(file.path(), memory);
  EXPECT_EQ(chosen.kind, StorageKind::posix);
  EXPECT_FALSE(chosen.declined);
  EXPECT_FALSE(chosen.file->overlaps());
  EXPECT_EQ(chosen.why, WhyStorage::only_a_copy);
  EXPECT_EQ(chosen.reason, "tmpfs: a call is a copy in memory, nothing to overlap");
}

TEST(StorageChoice, CephFuseGetsNoDirectCalls) {
  const TemporaryFile file;
  machine::StorageModel model = model_of(file.path());
  for (const StorageKind kind : {StorageKind::posix, StorageKind::threads, StorageKind::uring})
    for (const std::string name : {"fuse.ceph-fuse", "ceph"}) {
      model.name = name;
      const auto opened = open_storage({file.path(), Access::read_write, model, kind, true, 2});
      ASSERT_TRUE(opened.ok());
      const std::string said = opened.value().file->remarks();
      EXPECT_EQ(said.find("O_DIRECT is not used: " + name) != std::string::npos, name == "fuse.ceph-fuse")
          << said;
    }
}

TEST(StorageChoice, NullMovesNothingAndSaysSo) {
  const TemporaryFile file("abc");
  const Opened chosen = choice(file.path(), {}, StorageKind::null);
  std::string text = "xyz";
  EXPECT_EQ(chosen.file->finish(chosen.file->start_write({0, 3}, bytes_of(text))).bytes, 3);
  EXPECT_EQ(chosen.file->finish(chosen.file->start_read({1, 3}, bytes_of(text))).bytes, 3);
  EXPECT_EQ(text, std::string(3, '\0'));
  EXPECT_EQ(file.content(), "abc");
  EXPECT_EQ(chosen.why, WhyStorage::hint);
  EXPECT_EQ(chosen.reason, "asked for by hint: no byte is written, and zeros are read");
}

TEST(StorageChoice, ErrorsOfOpeningAreTheirOwn) {
  for (const StorageKind kind : {StorageKind::automatic, StorageKind::uring, StorageKind::threads}) {
    const auto missing = open_storage(
        {testing::TempDir() + "collio_there_is_no_such_file", Access::read_write, {}, kind, true, 2});
    ASSERT_FALSE(missing.ok());
    EXPECT_EQ(missing.error().kind, ErrorClass::no_such_file);
  }
}

/// Runs `judge` in a process in which io_uring_setup fails with `error`. Its answer; -1: no filter may be set
/// here.
int without_rings(int error, int (*judge)(const std::string&), const std::string& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog program{4, code};
    const bool set = ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                     ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
    ::_exit(set ? judge(path) : 99);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return !WIFEXITED(status) ? -2 : WEXITSTATUS(status) == 99 ? -1 : WEXITSTATUS(status);
}

int judge_choices(const std::string& path) {
  const auto chosen = open_storage({path, Access::read_write, {}, StorageKind::automatic, false, 2});
  const auto asked = open_storage({path, Access::read_write, {}, StorageKind::uring, false, 2});
  if (!chosen.ok() || !asked.ok()) return 1;
  if (chosen.value().kind != StorageKind::threads || chosen.value().declined) return 2;
  if (asked.value().kind != StorageKind::threads || !asked.value().declined) return 3;
  for (const auto* one : {&chosen.value(), &asked.value()})
    if (one->reason.find("io_uring: ") == std::string::npos) return 4;
  const std::string text = "xyz";
  return chosen.value().file->finish(chosen.value().file->start_write({0, 3}, bytes_of(text))).bytes == 3 ? 0
                                                                                                          : 5;
}

TEST(StorageChoice, WithoutRingsThreadsServeAndTheReasonSaysWhy) {
  for (const int error : {ENOSYS, EPERM, ENOMEM}) {
    const TemporaryFile file("abc");
    const int answer = without_rings(error, judge_choices, file.path());
    if (answer == -1) GTEST_SKIP() << "no system call filter may be set here";
    EXPECT_EQ(answer, 0) << std::strerror(error);
    EXPECT_EQ(file.content(), "xyz");
  }
}

TEST(StorageChoice, RingsServeWhereTheKernelLetsThem) {
  const TemporaryFile file("abc");
  const Opened chosen = choice(file.path(), {});
  EXPECT_FALSE(chosen.declined);
  EXPECT_EQ(chosen.why, WhyStorage::overlap);
  EXPECT_TRUE(chosen.kind == StorageKind::uring || chosen.reason.find("io_uring: ") != std::string::npos)
      << chosen.reason;
}

}  // namespace
}  // namespace collio::storage
