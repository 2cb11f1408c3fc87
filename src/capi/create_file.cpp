// See create_file.hpp.
#include "capi/create_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "capi/error.hpp"
#include "capi/library.h"
#include "storage/storage.hpp"

namespace collio::capi {

namespace {

constexpr int all_modes =
    COLLIO_READ | COLLIO_WRITE | COLLIO_CREATE | COLLIO_EXCLUSIVE | COLLIO_TRUNCATE | COLLIO_WHOLE;
constexpr int permissions = 0666;  // less the process's umask, as MPI libraries do

core::Error failed(const std::string& what, const std::string& path) {
  return {storage::class_of_errno(errno), "cannot " + what + " " + path + ": " + std::strerror(errno)};
}

core::Error another(const std::string& path) {
  return {core::ErrorClass::no_such_file, path + ": another file has this name now"};
}

}  // namespace

core::Error check_modes(int mode) {
  const std::string allowed =
      "COLLIO_READ, COLLIO_WRITE or both, and with COLLIO_WRITE also COLLIO_CREATE, "
      "COLLIO_TRUNCATE, COLLIO_WHOLE, and COLLIO_EXCLUSIVE beside COLLIO_CREATE";
  const bool reads_or_writes = (mode & (COLLIO_READ | COLLIO_WRITE)) != 0;
  const bool changes = (mode & (COLLIO_CREATE | COLLIO_TRUNCATE | COLLIO_EXCLUSIVE | COLLIO_WHOLE)) != 0;
  const bool exclusive_alone = (mode & COLLIO_EXCLUSIVE) != 0 && (mode & COLLIO_CREATE) == 0;
  if ((mode & ~all_modes) != 0 || !reads_or_writes || (changes && (mode & COLLIO_WRITE) == 0) ||
      exclusive_alone)
    return not_allowed("mode", mode, allowed);
  return {};
}

core::Error create_file(const std::string& path, int mode, std::uint64_t& inode) {
  const int flags = O_CLOEXEC | ((mode & COLLIO_WRITE) != 0 ? O_WRONLY : O_RDONLY) |
                    ((mode & COLLIO_CREATE) != 0 ? O_CREAT : 0) |
                    ((mode & COLLIO_EXCLUSIVE) != 0 ? O_EXCL : 0) |
                    ((mode & COLLIO_TRUNCATE) != 0 ? O_TRUNC : 0);
  const int fd = ::open(path.c_str(), flags, permissions);
  if (fd < 0) return failed((mode & COLLIO_CREATE) != 0 ? "create" : "open", path);
  struct stat about {};
  const bool known = ::fstat(fd, &about) == 0;
  inode = about.st_ino;
  if (::close(fd) != 0 || !known) return failed("close", path);
  return {};
}

core::Error size_of(const NamedFile& file, std::int64_t& bytes) {
  struct stat about {};
  if (::stat(file.path.c_str(), &about) != 0) return failed("get the size of", file.path);
  if (about.st_ino != file.inode) return another(file.path);
  bytes = about.st_size;
  return {};
}

core::Error truncate_file(const NamedFile& file, std::int64_t bytes) {
  const int fd = ::open(file.path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return failed("set the size of", file.path);
  struct stat about {};
  core::Error error;
  if (::fstat(fd, &about) != 0 || about.st_ino != file.inode)
    error = another(file.path);
  else if (::ftruncate(fd, bytes) != 0)
    error = failed("make " + std::to_string(bytes) + " bytes long:", file.path);
  ::close(fd);
  return error;
}

}  // namespace collio::capi
