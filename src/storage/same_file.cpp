// See same_file.hpp.
#include "storage/same_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

namespace collio::storage {

Holder Holder::with(int fd) noexcept {
  struct stat status {};
  if (fd < 0 || ::fstat(fd, &status) != 0) return {};
  return {static_cast<std::int64_t>(status.st_dev), static_cast<std::int64_t>(status.st_ino), ::getpid(), fd};
}

bool Holder::holds(int fd) const noexcept {
  const Holder mine = with(fd);
  return inode != 0 && mine.inode == inode && (process == 0 || mine.device == device);
}

std::string Holder::path() const {
  return "/proc/" + std::to_string(process) + "/fd/" + std::to_string(descriptor);
}

}  // namespace collio::storage
