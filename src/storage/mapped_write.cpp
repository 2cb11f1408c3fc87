// See mapped_write.hpp.
#include "storage/mapped_write.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>

#include "core/batch.hpp"

namespace collio::storage {

namespace {

#ifdef MADV_POPULATE_WRITE
constexpr int populate_write = MADV_POPULATE_WRITE;
#else
constexpr int populate_write = 23;  // Linux 5.14
#endif

constexpr std::array<long, 2> in_memory{0x01021994, 0x858458f6};  ///< tmpfs, ramfs
/// ext2 to ext4, XFS, Btrfs, and overlayfs over them
constexpr std::array<long, 4> in_blocks{0xef53, 0x58465342, 0x9123683e, 0x794c7630};

/// A page fault costs about as much as this many short writes (measured on tmpfs and ext4: 1 to 4 us against
/// 0.7 to 2 us).
constexpr std::int64_t writes_per_fault = 2;

std::int64_t page_bytes() noexcept {
  static const std::int64_t bytes = ::sysconf(_SC_PAGESIZE);
  return bytes;
}

/// A mapping has no bytes beyond the end of the file: the last byte to be written puts the end there. Where
/// the file is long enough, it waits for the write that made it so; see Mapping.
bool reach(int fd, Mapping mapping, const PieceWrite& what) noexcept {
  struct stat status {};
  const std::int64_t end = what.pieces.high();
  if (mapping == Mapping::free && ::fstat(fd, &status) == 0 && status.st_size >= end) return true;
  return ::pwrite(fd, what.data + (end - 1 - what.span.offset), 1, end - 1) == 1;
}

/// Copies pieces into mapped pages without a store of this process's: the bytes go into a pipe, and the
/// kernel takes them out into the pages. Where a page is gone, it says so.
class KernelCopy {
 public:
  KernelCopy() noexcept { opened_ = ::pipe2(ends_.data(), O_CLOEXEC | O_NONBLOCK) == 0; }
  ~KernelCopy() {
    if (opened_)
      for (const int end : ends_) ::close(end);
  }
  KernelCopy(const KernelCopy&) = delete;
  KernelCopy& operator=(const KernelCopy&) = delete;

  /// False: a page is gone, or there is no pipe; some bytes may have been copied.
  [[nodiscard]] bool copy(std::byte* to, const PieceWrite& what) noexcept {
    bool good = opened_;
    core::for_each_batch(what.pieces.reader(what.pieces.before_stream(0)), what.pieces.items(),
                         [&](std::span<const core::Run> runs) {
                           for (const core::Run& run : runs) good = good && add_run(to, what, run);
                         });
    return good && flush();
  }

 private:
  static constexpr std::size_t most_pieces = 1024;  ///< of a call (IOV_MAX)
  static constexpr std::size_t most_bytes = 32768;  ///< half of what a pipe holds

  bool add_run(std::byte* to, const PieceWrite& what, const core::Run& run) noexcept {
    for (std::int64_t i = 0, at = run.offset - what.span.offset; i < run.count; ++i, at += run.stride)
      if (!add(to + at, what.data + at, static_cast<std::size_t>(run.length))) return false;
    return true;
  }

  bool add(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
    while (bytes > 0) {
      if ((pieces_ == most_pieces || filled_ == most_bytes) && !flush()) return false;
      const std::size_t part = std::min(bytes, most_bytes - filled_);
      std::memcpy(packed_.data() + filled_, from, part);
      to_[pieces_++] = {to, part};
      filled_ += part;
      from += part, to += part, bytes -= part;
    }
    return true;
  }

  bool flush() noexcept {
    const auto bytes = static_cast<ssize_t>(filled_);
    const bool good = bytes == 0 || (::write(ends_[1], packed_.data(), filled_) == bytes &&
                                     ::readv(ends_[0], to_.data(), static_cast<int>(pieces_)) == bytes);
    pieces_ = filled_ = 0;
    return good;
  }

  std::array<int, 2> ends_{};
  bool opened_;
  std::size_t pieces_ = 0, filled_ = 0;
  std::array<iovec, most_pieces> to_;
  std::array<std::byte, most_bytes> packed_;
};

}  // namespace

Mapping mapping_of(int fd) noexcept {
  struct statfs fs {};
  if (::fstatfs(fd, &fs) != 0) return Mapping::none;
  const auto is_one_of = [&](const auto& types) {
    return std::ranges::find(types, static_cast<long>(fs.f_type)) != types.end();
  };
  if (is_one_of(in_memory)) return Mapping::free;
  return is_one_of(in_blocks) ? Mapping::behind_call : Mapping::none;
}

bool mapping_pays(const PieceWrite& what) noexcept {
  return what.pieces.pieces() >= writes_per_fault * (what.span.length / page_bytes() + 1);
}

bool store_mapped(int fd, Mapping mapping, const PieceWrite& what) noexcept {
  if (!reach(fd, mapping, what)) return false;
  const std::int64_t begin = what.span.offset / page_bytes() * page_bytes();
  const auto bytes = static_cast<std::size_t>(what.pieces.high() - begin);
  void* const pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, begin);
  if (pages == MAP_FAILED) return false;
  // All pages at once, sooner than one by one, and a full disk is found before a piece is written.
  const std::unique_ptr<KernelCopy> copy(new (std::nothrow) KernelCopy);
  const bool written = copy && ::madvise(pages, bytes, populate_write) == 0 &&
                       copy->copy(static_cast<std::byte*>(pages) + (what.span.offset - begin), what);
  ::munmap(pages, bytes);
  return written;
}

}  // namespace collio::storage
