// Blocking POSIX reads and writes. See storage.hpp.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "storage/storage.hpp"

namespace collio::storage {

namespace {

core::Error failure(const char* what, const std::string& path, int error) {
  return {class_of_errno(error), std::string(what) + " " + path + ": " + std::strerror(error) + " (errno " +
                                     std::to_string(error) + ")"};
}

core::Error failure_at(const char* what, const std::string& path, std::int64_t offset, int error) {
  core::Error e = failure(what, path, error);
  e.message += " at offset " + std::to_string(offset);
  return e;
}

class PosixFile final : public Storage {
 public:
  PosixFile(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  ~PosixFile() override { ::close(fd_); }
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;

  Transfer write(const core::Extent& extent, const std::byte* from) override {
    Transfer t;
    while (t.bytes < extent.length) {
      const ssize_t n = ::pwrite(fd_, from + t.bytes, static_cast<std::size_t>(extent.length - t.bytes),
                                 extent.offset + t.bytes);
      if (n > 0) {
        t.bytes += n;
      } else if (n == 0 || errno != EINTR) {
        t.error = failure_at("write", path_, extent.offset + t.bytes, n == 0 ? EIO : errno);
        break;
      }
    }
    return t;
  }

  Transfer read(const core::Extent& extent, std::byte* to) override {
    Transfer t;
    while (t.bytes < extent.length) {
      const ssize_t n = ::pread(fd_, to + t.bytes, static_cast<std::size_t>(extent.length - t.bytes),
                                extent.offset + t.bytes);
      if (n > 0) {
        t.bytes += n;
      } else if (n == 0) {
        break;
      } else if (errno != EINTR) {
        t.error = failure_at("read", path_, extent.offset + t.bytes, errno);
        break;
      }
    }
    return t;
  }

  core::Error sync() override {
    if (::fsync(fd_) == 0) return {};
    return failure("fsync", path_, errno);
  }

 private:
  int fd_;
  std::string path_;
};

}  // namespace

core::Result<std::unique_ptr<Storage>> open_posix(const std::string& path, Access access) {
  const int flags = access == Access::read_only ? O_RDONLY : access == Access::write_only ? O_WRONLY : O_RDWR;
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC);
  if (fd < 0) return failure("open", path, errno);
  return std::unique_ptr<Storage>(std::make_unique<PosixFile>(fd, path));
}

}  // namespace collio::storage
