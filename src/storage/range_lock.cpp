// See range_lock.hpp.
#include "storage/range_lock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace collio::storage {

namespace {

constexpr std::int64_t far_away = std::int64_t{1} << 61;  // no file reaches as far

int set_lock(int fd, int command, const core::Extent& extent, short type) noexcept {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = extent.offset;
  lock.l_len = extent.length;
  int error = 0;
  do {
    error = ::fcntl(fd, command, &lock) == 0 ? 0 : errno;
  } while (error == EINTR);
  return error;
}

short type_of(RangeUse use) noexcept { return use == RangeUse::write ? F_WRLCK : F_RDLCK; }

}  // namespace

RangeLock::RangeLock(int fd, const core::Extent& extent, RangeUse use, PagesAfter pages) noexcept
    : fd_(fd), extent_(extent), pages_(pages), error_(set_lock(fd, F_OFD_SETLKW, extent, type_of(use))) {}

RangeLock::RangeLock(int fd, int command, const core::Extent& extent, RangeUse use) noexcept
    : fd_(fd),
      extent_(extent),
      pages_(PagesAfter::kept),
      error_(set_lock(fd, command, extent, type_of(use))) {}

RangeLock RangeLock::at_once(int fd, const core::Extent& extent, RangeUse use) noexcept {
  return {fd, F_OFD_SETLK, extent, use};
}

RangeLock::~RangeLock() {
  if (error_ != 0) return;
  set_lock(fd_, F_OFD_SETLK, extent_, F_UNLCK);
  if (pages_ == PagesAfter::kept) return;
  static const std::int64_t page = ::sysconf(_SC_PAGESIZE);  // a page that is kept in part is kept whole
  const std::int64_t first = extent_.offset / page * page;
  ::posix_fadvise(fd_, first, (extent_.end() + page - 1) / page * page - first, POSIX_FADV_DONTNEED);
}

int RangeLock::change(RangeUse use) noexcept {
  return error_ != 0 ? error_ : set_lock(fd_, F_OFD_SETLK, extent_, type_of(use));
}

int try_range_lock(int fd, RangeUse use) noexcept {
  const core::Extent one{far_away, 1};
  const int error = set_lock(fd, F_OFD_SETLK, one, type_of(use));
  if (error == EAGAIN || error == EACCES) return 0;  // another holds it
  if (error == 0) set_lock(fd, F_OFD_SETLK, one, F_UNLCK);
  return error;
}

}  // namespace collio::storage
