// See high_descriptor.hpp.
#include "storage/high_descriptor.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <mutex>

namespace collio::storage {

namespace {

/// for a thousand files, and more
constexpr rlim_t room = 65536;

/// The soft limit is lifted for this one call: children, and programs that close every possible number, find
/// it as it was. -1: the hard limit allows no number above it, or the program has lowered the soft one.
int duplicate_above_limit(int fd) noexcept {
  static std::mutex lifted;
  const std::lock_guard alone(lifted);
  rlimit own{};
  if (::getrlimit(RLIMIT_NOFILE, &own) != 0 || own.rlim_cur >= own.rlim_max) return -1;
  static const rlim_t first = own.rlim_cur;
  if (own.rlim_cur < first) return -1;
  if (own.rlim_cur > static_cast<rlim_t>(std::numeric_limits<int>::max()) - room) return -1;
  const rlimit higher{std::min(own.rlim_max, own.rlim_cur + room), own.rlim_max};
  if (::setrlimit(RLIMIT_NOFILE, &higher) != 0) return -1;
  const int high = ::fcntl(fd, F_DUPFD_CLOEXEC, static_cast<int>(own.rlim_cur));
  ::setrlimit(RLIMIT_NOFILE, &own);
  return high;
}

}  // namespace

int moved_high(int fd) noexcept {
  if (fd < 0) return fd;  // with errno as it is
  const int high = duplicate_above_limit(fd);
  if (high < 0) return fd;
  ::close(fd);  // another descriptor of what was opened remains: nothing is written back, nothing can fail
  return high;
}

}  // namespace collio::storage
