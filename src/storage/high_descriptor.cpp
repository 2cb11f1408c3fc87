// See high_descriptor.hpp.
#include "storage/high_descriptor.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

namespace collio::storage {

namespace {

// Enough for a thousand files, and little for what closes every possible number before it starts a program.
constexpr rlim_t room = 65536;

/// The first number above the soft limit, which is raised; -1: the hard limit allows none.
int first_high() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return -1;
  const rlim_t first = limit.rlim_cur;
  if (first > static_cast<rlim_t>(std::numeric_limits<int>::max()) - room) return -1;
  limit.rlim_cur = std::min(limit.rlim_max, first + room);
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 ? static_cast<int>(first) : -1;
}

}  // namespace

int moved_high(int fd) noexcept {
  if (fd < 0) return fd;  // with errno as it is
  static const int first = first_high();
  if (first < 0) return fd;
  const int high = ::fcntl(fd, F_DUPFD_CLOEXEC, first);
  if (high < 0) return fd;
  ::close(fd);  // another descriptor of what was opened remains: nothing is written back, nothing can fail
  return high;
}

}  // namespace collio::storage
