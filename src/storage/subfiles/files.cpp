// See files.hpp.
#include "storage/subfiles/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>

#include "storage/high_descriptor.hpp"
#include "storage/storage.hpp"
#include "storage/subfiles/manifest.hpp"

namespace collio::storage {

namespace {

int open_again(const std::string& path, int flags, mode_t mode) {
  int fd = -1;
  do fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  while (fd < 0 && errno == EINTR);
  return fd;
}

}  // namespace

int flush(int fd) {
  while (::fsync(fd) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

core::Error flush_folder(const std::string& folder) {
  const OpenedFile opened(folder, O_RDONLY | O_DIRECTORY);
  const int error = opened.error() != 0 ? opened.error() : flush(opened.fd());
  return error == 0 || error == EINVAL ? core::Error{} : errno_error("flush the folder", folder, error);
}

FileStamp stamp_of(const std::string& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) return {};
  return std::pair(about.st_ino, about.st_ctim.tv_sec * std::int64_t{1'000'000'000} + about.st_ctim.tv_nsec);
}

std::string parent_folder(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
}

core::Error errno_error(const std::string& what, const std::string& path, int error) {
  return {class_of_errno(error), "cannot " + what + " " + path + ": " + std::strerror(error) + " (errno " +
                                     std::to_string(error) + ")"};
}

OpenedFile::OpenedFile(const std::string& path, int flags, mode_t mode)
    : fd_(open_again(path, flags, mode)), error_(fd_ < 0 ? errno : 0) {
  fd_ = moved_high(fd_);
}

OpenedFile::~OpenedFile() {
  if (fd_ >= 0) ::close(fd_);
}

int write_all_at(int fd, const std::string& text, off_t offset) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::pwrite(fd, text.data() + done, text.size() - done, offset + static_cast<off_t>(done));
    if (n < 0 && errno != EINTR) return errno;
    if (n == 0) return EIO;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  return 0;
}

int read_all_at(int fd, std::string& text, off_t offset) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::pread(fd, text.data() + done, text.size() - done, offset + static_cast<off_t>(done));
    if (n < 0 && errno != EINTR) return errno;
    if (n == 0) break;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  text.resize(done);
  return 0;
}

core::Result<std::string> read_text(const std::string& path) {
  constexpr std::size_t most = 64 << 20, part = 1 << 16;
  const OpenedFile file(path, O_RDONLY);
  if (file.error() != 0) return errno_error("open", path, file.error());
  std::string text, next;
  do {
    next.resize(part);
    if (const int error = read_all_at(file.fd(), next, static_cast<off_t>(text.size())); error != 0)
      return errno_error("read", path, error);
    text += next;
  } while (next.size() == part && text.size() < most);
  return text;
}

core::Error replace_text(const std::string& path, const std::string& text) {
  std::random_device random;
  std::string temporary;
  {
    // Nobody else makes this name, whatever host or user; who can write to the folder may have planted one.
    std::optional<OpenedFile> file;
    for (int tries = 0; tries < 10 && (!file || file->error() == EEXIST); ++tries) {
      temporary = path + ".new." + hex_text(std::uint64_t{random()} << 32 | random());
      file.emplace(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
    }
    if (file->error() != 0) return errno_error("create", temporary, file->error());
    int error = write_all_at(file->fd(), text, 0);
    if (error == 0) error = flush(file->fd());
    if (error != 0) {
      ::unlink(temporary.c_str());
      return errno_error("write", temporary, error);
    }
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    return errno_error("replace", path, error);
  }
  return flush_folder(parent_folder(path));
}

}  // namespace collio::storage
