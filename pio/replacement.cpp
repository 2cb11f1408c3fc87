// See replacement.hpp.
#include "replacement.hpp"

#include <collio/collio.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

namespace collio::pio {

namespace {

/// errno or 0.
int flush(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  const int error = fsync(fd) == 0 ? 0 : errno;
  close(fd);
  return error;
}

}  // namespace

Failure Replacement::failed(const std::string& step) const {
  return {PIO_EIO, what_ + ": cannot " + step + ": " + std::strerror(errno) + " (errno " +
                       std::to_string(errno) + ")"};
}

Failure Replacement::find_place(Existing existing) {
  struct stat about {};
  if (stat(path_.c_str(), &about) == 0) {
    if (existing == Existing::keep) return netcdf_failure(NC_EEXIST, what_);
    if (!S_ISREG(about.st_mode))
      return {PIO_EINVAL, what_ + ": it is no regular file; allowed: a regular file, or a name that is free"};
    if (access(path_.c_str(), W_OK) != 0) return netcdf_failure(NC_EACCESS, what_);
    char real[PATH_MAX];
    if (realpath(path_.c_str(), real)) path_ = real;
  }
  std::random_device random;
  char number[24];
  std::snprintf(number, sizeof number, ".new.%08x%08x", random(), random());
  temporary_ = path_ + number;
  return {};
}

Failure Replacement::begin(Existing existing) {
  Failure failure;
  if (ranks_.is_root()) failure = with_memory(what_.c_str(), [&] { return find_place(existing); });
  failure = share_root(ranks_, std::move(failure));
  if (failure) return failure;
  int length = static_cast<int>(temporary_.size());
  MPI_Bcast(&length, 1, MPI_INT, ranks_.root, ranks_.comm);
  temporary_.resize(static_cast<std::size_t>(length));
  MPI_Bcast(temporary_.data(), length, MPI_CHAR, ranks_.root, ranks_.comm);
  return {};
}

/// With the mode of the file that was there.
Failure Replacement::give_name() const {
  struct stat about {};
  errno = flush(temporary_);
  if (errno != 0) return failed("flush " + temporary_);
  if (stat(path_.c_str(), &about) == 0 && chmod(temporary_.c_str(), about.st_mode & 07777) != 0)
    return failed("change the mode of " + temporary_);
  return collio_failure(collio_replace_file(path_.c_str(), temporary_.c_str()), what_);
}

Failure Replacement::end(Failure written) {
  Failure failure = std::move(written);
  if (ranks_.is_root()) {
    if (!failure) failure = with_memory(what_.c_str(), [&] { return give_name(); });
    if (failure) static_cast<void>(collio_delete_file(temporary_.c_str()));  // it may be in subfiles
  }
  return share_root(ranks_, std::move(failure));
}

}  // namespace collio::pio
