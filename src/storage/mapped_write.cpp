// See mapped_write.hpp.
#include "storage/mapped_write.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace collio::storage {

namespace {

#ifdef MADV_POPULATE_WRITE
constexpr int populate_write = MADV_POPULATE_WRITE;
#else
constexpr int populate_write = 23;  // Linux 5.14
#endif

/// tmpfs, ramfs, ext2 to ext4, XFS, Btrfs, and overlayfs over them.
constexpr std::array<long, 6> shares_pages{0x01021994, 0x858458f6, 0xef53,
                                           0x58465342, 0x9123683e, 0x794c7630};

/// A page fault costs about as much as this many short writes (measured on tmpfs and ext4: 1 to 4 us against
/// 0.7 to 2 us).
constexpr std::int64_t writes_per_fault = 2;

std::int64_t page_bytes() noexcept {
  static const std::int64_t bytes = ::sysconf(_SC_PAGESIZE);
  return bytes;
}

/// A mapping has no bytes beyond the end of the file: the last byte to be written puts the end there.
bool reach(int fd, const PieceWrite& what) noexcept {
  struct stat status {};
  const std::int64_t end = what.pieces.high();
  if (::fstat(fd, &status) != 0) return false;
  return status.st_size >= end || ::pwrite(fd, what.data + (end - 1 - what.span.offset), 1, end - 1) == 1;
}

}  // namespace

bool may_store_mapped(int fd) noexcept {
  struct statfs fs {};
  return ::fstatfs(fd, &fs) == 0 &&
         std::ranges::find(shares_pages, static_cast<long>(fs.f_type)) != shares_pages.end();
}

bool mapping_pays(const PieceWrite& what) noexcept {
  return what.pieces.pieces() >= writes_per_fault * (what.span.length / page_bytes() + 1);
}

bool store_mapped(int fd, const PieceWrite& what) noexcept {
  if (!reach(fd, what)) return false;
  const std::int64_t begin = what.span.offset / page_bytes() * page_bytes();
  const auto bytes = static_cast<std::size_t>(what.pieces.high() - begin);
  void* const pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, begin);
  if (pages == MAP_FAILED) return false;
  // Here a lack of space or memory is an error; at a store it would be SIGBUS.
  const bool present = ::madvise(pages, bytes, populate_write) == 0;
  if (present) what.copy_to(static_cast<std::byte*>(pages) + (what.span.offset - begin));
  ::munmap(pages, bytes);
  return present;
}

}  // namespace collio::storage
