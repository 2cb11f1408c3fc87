// Windows written with the holes between their pieces: the holes keep the file's bytes, and it is done only
// while nobody else writes the file.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <numeric>
#include <thread>

#include "byte_list.hpp"
#include "storage/kinds.hpp"
#include "storage/posix.hpp"
#include "storage/writer_mark.hpp"
#include "temporary_file.hpp"

namespace collio::storage {
namespace {

using test::Dice;
using test::TemporaryFile;
namespace fs = std::filesystem;

bool can_be_marked(const TemporaryFile& file) {
  return MarkedFolder::of(file.path(), FolderDescriptor::Use::asks) != nullptr;
}

#define NEEDS_MARKS(file)   \
  if (!can_be_marked(file)) \
  GTEST_SKIP() << file.path() << ": not on tmpfs, ext2 to ext4, XFS, Btrfs, overlayfs"

/// Random pieces of a window that begins anywhere in a page, and what a file of `content` has afterwards.
struct Window {
  Window(Dice& dice, std::string content, std::int64_t from = 0) : after(std::move(content)) {
    span.offset = from + dice.pick(0, 20000);
    std::int64_t at = span.offset;
    for (std::int64_t i = dice.pick(2, 900); i > 0; --i) {
      const core::Extent piece{at, dice.pick(1, dice.chance(20) ? 5000 : 40)};
      pieces.push_back(piece);
      at = piece.end() + dice.pick(1, 40);
    }
    span.length = pieces.back().end() - span.offset;
    data.resize(static_cast<std::size_t>(span.length), '#');
    after.resize(std::max(after.size(), static_cast<std::size_t>(span.end())));
    for (const core::Extent& piece : pieces) {
      std::string bytes(static_cast<std::size_t>(piece.length), '\0');
      for (char& c : bytes) c = static_cast<char>(dice.pick(1, 127));
      data.replace(static_cast<std::size_t>(piece.offset - span.offset), bytes.size(), bytes);
      after.replace(static_cast<std::size_t>(piece.offset), bytes.size(), bytes);
    }
    room.resize(data.size());
  }

  std::optional<Transfer> write_to(Storage& file) {
    return file.write_whole({span, reinterpret_cast<std::byte*>(data.data()), each, true,
                             [this] { return reinterpret_cast<std::byte*>(room.data()); }});
  }

  core::Extent span;
  std::vector<core::Extent> pieces;
  std::string data, room, after;
  EachPiece each = [this](const auto& sink) {
    for (const core::Extent& piece : pieces) sink(piece);
  };
};

std::unique_ptr<Storage> opened(const std::string& path, std::uint32_t mark) {
  StorageRequest request{path, Access::read_write, model_of(path), policy::StorageKind::posix};
  request.writer_mark = mark;
  auto result = open_storage(request);
  EXPECT_TRUE(result.ok());
  return std::move(result.value().file);
}

TEST(WholeWrite, HolesKeepTheBytesOfTheFile) {
  int whole = 0;
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    Dice dice(seed);
    std::string content(static_cast<std::size_t>(dice.chance(2) ? dice.pick(0, 90000) : dice.pick(0, 9000)),
                        '\0');
    std::iota(content.begin(), content.end(), '\1');
    Window window(dice, content);
    const TemporaryFile file(content);
    NEEDS_MARKS(file);
    const auto mark = WriterMark::put(file.path());
    const auto written = window.write_to(*opened(file.path(), mark->number()));
    if (!written) {  // in memory, where the file has bytes
      EXPECT_EQ(file.content(), content);
      continue;
    }
    ++whole;
    EXPECT_TRUE(written->error.ok());
    EXPECT_EQ(written->bytes, window.span.length);
    EXPECT_TRUE(file.content() == window.after) << "seed " << seed;
  }
  EXPECT_GT(whole, 10);
}

TEST(WholeWrite, ReadsNothingAheadIntoHolesOfTheFile) {
  constexpr std::int64_t bytes = 4 << 20;
  Dice dice(1);
  Window window(dice, "", bytes / 4);
  const std::int64_t page = PageSpan::page_bytes(), begin = window.span.offset / page * page;
  ASSERT_NE(begin, window.span.offset);
  const TemporaryFile file(std::string(static_cast<std::size_t>(begin), 'x'));
  NEEDS_MARKS(file);
  fs::resize_file(file.path(), bytes);
  const auto mark = WriterMark::put(file.path());
  ASSERT_TRUE(window.write_to(*opened(file.path(), mark->number())));
  const int fd = ::open(file.path().c_str(), O_RDONLY);
  void* const pages = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
  ASSERT_NE(pages, MAP_FAILED);
  std::vector<unsigned char> cached(static_cast<std::size_t>(bytes / page));
  EXPECT_EQ(::mincore(pages, bytes, cached.data()), 0);
  ::munmap(pages, bytes);
  ::close(fd);
  const auto behind = cached.begin() + (window.span.end() - 1) / page + 1;
  EXPECT_EQ(std::count(behind, cached.end(), 0), cached.end() - behind) << "pages behind the window";
}

/// A new file, which is written whole where nobody else writes it.
bool written_whole(const std::string& path, std::uint32_t mark) {
  fs::resize_file(path, 0);
  Dice dice(1);
  Window window(dice, "");
  return window.write_to(*opened(path, mark)).has_value();
}

TEST(WholeWrite, IsNotDoneWhereOthersMayWrite) {
  const TemporaryFile file;
  NEEDS_MARKS(file);
  EXPECT_FALSE(written_whole(file.path(), 0)) << "without a mark";
  const auto mine = WriterMark::put(file.path());
  EXPECT_TRUE(written_whole(file.path(), mine->number()));
  {
    const auto other = WriterMark::put(file.path());
    EXPECT_FALSE(written_whole(file.path(), mine->number())) << "beside another mark";
    EXPECT_FALSE(written_whole(file.path(), other->number())) << "beside the first";
  }
  EXPECT_TRUE(written_whole(file.path(), mine->number())) << "when the other is gone";
}

TEST(WholeWrite, MarksAreSeenThroughSymbolicLinks) {
  const TemporaryFile file, link;
  NEEDS_MARKS(file);
  fs::remove(link.path());
  fs::create_symlink(file.path(), link.path());
  const auto mine = WriterMark::put(file.path());
  const auto other = WriterMark::put(link.path());
  ASSERT_TRUE(other);
  EXPECT_FALSE(written_whole(file.path(), mine->number()));
}

TEST(WholeWrite, IsNotDoneToAFileThatIsFoundElsewhereToo) {
  const TemporaryFile file;
  NEEDS_MARKS(file);
  const auto mine = WriterMark::put(file.path());
  const auto open_before = opened(file.path(), mine->number());
  Dice dice(1);
  Window window(dice, "");
  const std::string name = file.path() + ".other";
  fs::create_hard_link(file.path(), name);
  EXPECT_FALSE(WriterMark::put(name)) << "who opens it by that name puts no mark";
  EXPECT_FALSE(window.write_to(*open_before)) << "so nobody can be seen to be absent";
  fs::remove(name);
  EXPECT_TRUE(window.write_to(*open_before));
  fs::rename(file.path(), name);
  EXPECT_FALSE(window.write_to(*open_before)) << "a file that was moved";
  fs::remove(name);
}

TEST(WholeWrite, WhoComesWaitsForTheWriteUnderWay) {
  const TemporaryFile file;
  NEEDS_MARKS(file);
  const auto mine = WriterMark::put(file.path());
  OtherWriters others(file.path(), mine->number());
  const int fd = ::open(file.path().c_str(), O_RDWR);
  std::atomic<bool> came = false;
  std::thread newcomer;
  {
    const OtherWriters::Absence nobody(others, fd);
    ASSERT_TRUE(nobody);
    newcomer = std::thread([&] {
      const auto mark = WriterMark::put(file.path());
      came = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(came);
  }
  newcomer.join();
  ::close(fd);
  EXPECT_TRUE(came);
}

}  // namespace
}  // namespace collio::storage
