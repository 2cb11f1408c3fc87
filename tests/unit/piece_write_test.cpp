// Pieces of a span written through a mapping, or by reading and writing it whole under a lock: the pieces'
// bytes, and no other.
#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <optional>
#include <thread>

#include "byte_list.hpp"
#include "storage/kinds.hpp"
#include "storage/mapped_write.hpp"
#include "storage/range_lock.hpp"
#include "temporary_file.hpp"

namespace collio::storage {
namespace {

using test::Dice;
using test::TemporaryFile;

constexpr std::int64_t origin = 5000;  // of the span: inside a page

std::unique_ptr<Storage> opened(const std::string& path, bool lock_writes,
                                const std::string& file_system = "") {
  StorageRequest request{path, Access::read_write, model_of(path), policy::StorageKind::posix};
  request.lock_writes = lock_writes;
  if (!file_system.empty()) request.model.name = file_system;
  auto result = open_storage(request);
  EXPECT_TRUE(result.ok());
  EXPECT_FALSE(result.value().declined);
  return std::move(result.value().file);
}

/// Small pieces with small holes, and what a file of `content` has afterwards.
struct Known {
  core::PackedExtents pieces;
  std::string data, after;

  Known(Dice& dice, std::string content) : after(std::move(content)) {
    core::PackedBuilder builder({});
    std::int64_t at = origin;
    for (std::int64_t i = dice.pick(200, 2000); i > 0; --i) {
      const core::Extent piece{at, dice.pick(1, dice.chance(50) ? 300 : 12)};
      builder.add(piece);
      at += piece.length + dice.pick(1, 9);
    }
    pieces = builder.finish();
    data.resize(static_cast<std::size_t>(at - origin));
    for (char& c : data) c = static_cast<char>(dice.pick(1, 127));
    after.resize(std::max(after.size(), static_cast<std::size_t>(pieces.high())));
    core::PackedReader reader = pieces.reader(pieces.before_stream(0));
    for (std::int64_t i = 0; i < pieces.items(); ++i) {
      core::Run run = reader.next();
      for (; run.count > 0; --run.count, run.offset += run.stride)
        after.replace(
            static_cast<std::size_t>(run.offset), static_cast<std::size_t>(run.length),
            data.substr(static_cast<std::size_t>(run.offset - origin), static_cast<std::size_t>(run.length)));
    }
  }
  [[nodiscard]] Placing placing() const {
    return [this](std::byte* room) { write().copy_to(room); };
  }
  [[nodiscard]] PieceWrite write() const {
    return {{origin, pieces.high() - origin}, reinterpret_cast<const std::byte*>(data.data()), pieces};
  }
};

TEST(PieceWrite, ChangesThePiecesAndNothingElse) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    Dice dice(seed);
    std::string content(static_cast<std::size_t>(dice.pick(0, 40000)), '\0');
    std::iota(content.begin(), content.end(), '\1');
    const Known known(dice, content);
    const TemporaryFile stored(content), sieved(content);
    ASSERT_TRUE(opened(stored.path(), false)->store(known.write())) << "seed " << seed;
    EXPECT_TRUE(stored.content() == known.after) << "seed " << seed;
    std::string room(known.data.size(), '#');
    const auto outcome =
        opened(sieved.path(), true)
            ->sieve(known.write().span, reinterpret_cast<std::byte*>(room.data()), known.placing());
    ASSERT_TRUE(outcome && outcome->error.ok());
    EXPECT_EQ(outcome->bytes, known.write().span.length);
    EXPECT_TRUE(sieved.content() == known.after) << "seed " << seed;
  }
}

TEST(PieceWrite, LongPiecesAreNotStoredThroughAMapping) {
  core::PackedBuilder builder({});
  builder.add(core::Extent{0, 100000});
  builder.add(core::Extent{110000, 100000});
  const core::PackedExtents pieces = builder.finish();
  const std::string data(210000, 'x');
  const TemporaryFile file;
  EXPECT_FALSE(opened(file.path(), false)
                   ->store({{0, 210000}, reinterpret_cast<const std::byte*>(data.data()), pieces}));
  EXPECT_EQ(file.content(), "");
}

TEST(PieceWrite, AFileThatCannotBeReadOrReachedIsNotStoredTo) {
  Dice dice(1);
  const Known known(dice, "");
  const TemporaryFile file;
  StorageRequest request{file.path(), Access::write_only, model_of(file.path()), policy::StorageKind::posix};
  EXPECT_FALSE(open_storage(request).value().file->store(known.write()));
}

/// A store of the process to a page that is gone would be SIGBUS.
TEST(PieceWrite, AFileThatOthersTruncateMeanwhileEndsNoProcess) {
  Dice dice(1);
  const Known known(dice, "");
  const TemporaryFile file;
  std::atomic<bool> over = false;
  std::thread truncating([&] {
    while (!over) EXPECT_EQ(::truncate(file.path().c_str(), 0), 0);
  });
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  while (std::chrono::steady_clock::now() < until) {
    const auto stored = opened(file.path(), false);
    for (int i = 0; i < 10; ++i) static_cast<void>(stored->store(known.write()));
  }
  over = true;
  truncating.join();
  EXPECT_TRUE(opened(file.path(), false)->store(known.write()));
  EXPECT_EQ(file.content().size(), known.after.size());
}

std::int64_t length(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 ? status.st_size : -1;
}

/// Stores while another handle's call makes the file longer, part by part. Whether the store waited for its
/// end; nothing: it had ended before.
std::optional<bool> waits_for_growth(const Known& known) {
  const TemporaryFile file;
  const std::string much(64 << 20, 'x');
  const int other = ::open(file.path().c_str(), O_WRONLY);
  const auto stored = opened(file.path(), false);
  std::thread writer(
      [&] { EXPECT_EQ(::pwrite(other, much.data(), much.size(), 0), static_cast<ssize_t>(much.size())); });
  while (length(other) < known.pieces.high()) std::this_thread::yield();
  const auto whole = static_cast<std::int64_t>(much.size());
  const bool late = length(other) == whole;
  EXPECT_TRUE(stored->store(known.write()));
  const bool waited = length(other) == whole;
  writer.join();
  ::close(other);
  return late ? std::nullopt : std::optional(waited);
}

TEST(PieceWrite, AStoreWaitsForTheWriteThatMadeTheFileLonger) {
  const TemporaryFile probe;
  const int fd = ::open(probe.path().c_str(), O_RDWR);
  const Mapping mapping = mapping_of(fd);
  ::close(fd);
  if (mapping != Mapping::behind_call)
    GTEST_SKIP() << probe.path() << ": not on ext2 to ext4, XFS, Btrfs or overlayfs";
  Dice dice(1);
  const Known known(dice, "");
  for (int tries = 0; tries < 20; ++tries) {
    const std::optional<bool> waited = waits_for_growth(known);
    if (!waited) continue;
    EXPECT_TRUE(*waited);
    return;
  }
  GTEST_SKIP() << "the other thread's write had always ended";
}

/// Whether `call` ends while another handle has a lock on the byte at `origin`, which it keeps for
/// `patience_s` at most.
template <class Call>
bool ends_beside_lock(const std::string& path, RangeUse held, Call&& call, double patience_s) {
  const int other = ::open(path.c_str(), O_RDWR);
  std::atomic<bool> ended = false;
  bool beside = false;
  std::thread thread;
  {
    const RangeLock lock(other, {origin, 1}, held);
    EXPECT_EQ(lock.error(), 0);
    thread = std::thread([&] {
      call();
      ended = true;
    });
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience_s);
    while (!ended && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    beside = ended;
  }
  thread.join();
  ::close(other);
  return beside;
}

template <class Call>
bool waits_for_lock(const std::string& path, RangeUse held, Call&& call) {
  return !ends_beside_lock(path, held, call, 0.03);
}
template <class Call>
bool needs_no_lock(const std::string& path, RangeUse held, Call&& call) {
  return ends_beside_lock(path, held, call, 20);
}

TEST(PieceWrite, SievingAndWritesBesideItWaitForLocks) {
  Dice dice(1);
  const Known known(dice, "");
  const TemporaryFile file;
  std::string room(known.data.size(), '#');
  auto* bytes = reinterpret_cast<std::byte*>(room.data());
  const auto locked = opened(file.path(), true), plain = opened(file.path(), false);
  EXPECT_TRUE(locked->locks());
  EXPECT_FALSE(plain->locks());
  for (const auto& storage : {&locked, &plain}) {
    EXPECT_TRUE(waits_for_lock(file.path(), RangeUse::read, [&] {
      EXPECT_TRUE((*storage)->sieve(known.write().span, bytes, known.placing()));
    }));
    EXPECT_TRUE(waits_for_lock(file.path(), RangeUse::read, [&] {
      EXPECT_EQ((*storage)->write_beside({origin - 2, 10}, bytes).bytes, 10);
    }));
  }
  EXPECT_TRUE(waits_for_lock(file.path(), RangeUse::read,
                             [&] { EXPECT_EQ(locked->write({origin - 2, 10}, bytes).bytes, 10); }));
  EXPECT_TRUE(needs_no_lock(file.path(), RangeUse::write,
                            [&] { EXPECT_EQ(locked->read({origin - 2, 10}, bytes).bytes, 10); }));
  EXPECT_TRUE(needs_no_lock(file.path(), RangeUse::write,
                            [&] { EXPECT_EQ(plain->write({origin - 2, 10}, bytes).bytes, 10); }));
}

TEST(PieceWrite, OnNfsAllTransfersLock) {
  const TemporaryFile file(std::string(2 * origin, 'x'));
  const auto nfs = opened(file.path(), false, "nfs");
  EXPECT_TRUE(nfs->locks());
  std::byte bytes[10];
  EXPECT_TRUE(waits_for_lock(file.path(), RangeUse::write,
                             [&] { EXPECT_EQ(nfs->read({origin - 2, 10}, bytes).bytes, 10); }));
  EXPECT_TRUE(needs_no_lock(file.path(), RangeUse::read,
                            [&] { EXPECT_EQ(nfs->read({origin - 2, 10}, bytes).bytes, 10); }));
  EXPECT_TRUE(waits_for_lock(file.path(), RangeUse::read,
                             [&] { EXPECT_EQ(nfs->write({origin - 2, 10}, bytes).bytes, 10); }));
}

}  // namespace
}  // namespace collio::storage
