// See target.hpp.
#include "storage/probe/target.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "storage/file_systems.hpp"
#include "storage/high_descriptor.hpp"
#include "storage/storage.hpp"

namespace collio::storage::probe {

namespace {

constexpr mode_t own_only = 0600;

core::Error error_of(const std::string& what, int error) {
  return {class_of_errno(error), what + ": " + std::strerror(error)};
}

}  // namespace

std::string temporary_name() {
  static std::atomic<int> count{0};
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  return ".collio-probe-" + std::string(host) + "-" + std::to_string(::getpid()) + "-" +
         std::to_string(count++);
}

OwnedFile::~OwnedFile() {
  if (fd_ >= 0) ::close(fd_);
}

core::Result<OwnedFile> file_in_folder(const std::string& folder) {
  int fd = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, own_only);
  if (fd >= 0) return OwnedFile(moved_high(fd));
  // A kernel or file system without O_TMPFILE: EISDIR, EOPNOTSUPP, or whatever else it makes of it.
  const std::string path = folder + "/" + temporary_name();
  fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, own_only);
  if (fd < 0) return error_of("a temporary file cannot be made", errno);
  OwnedFile file(moved_high(fd));
  if (::unlink(path.c_str()) != 0)
    return error_of("the temporary file " + path + " cannot be removed", errno);
  return file;
}

core::Result<std::string> identity_of(const Target& target) {
  struct stat status {};
  char* const real = ::realpath(target.folder.c_str(), nullptr);
  if (real == nullptr) return error_of("the folder cannot be found", errno);
  const std::string path = real;
  std::free(real);
  if (::stat(path.c_str(), &status) != 0) return error_of("the folder cannot be found", errno);
  std::string key = std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino) + ":" + path;
  if (find_file_system(path).system.kind != FileSystem::Kind::shared) {
    char host[256] = "";
    ::gethostname(host, sizeof host - 1);
    key = std::string(host) + ":" + key;
  }
  return target.make ? key + "#" + target.name : key;
}

}  // namespace collio::storage::probe
