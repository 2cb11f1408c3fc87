// See shared_object.hpp.
#include "transport/node_memory/shared_object.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <random>
#include <string_view>
#include <utility>

namespace collio::transport {

namespace {

constexpr const char* folder = "/dev/shm";
constexpr std::string_view prefix = "collio.memory.";
constexpr mode_t own_only = 0600;

struct Path {
  char text[64];
};

Path path_in_folder(std::uint64_t key) {
  Path path;
  std::snprintf(path.text, sizeof path.text, "%s/%s%016" PRIx64, folder, prefix.data(), key);
  return path;
}

Path path_of(const ObjectName& name) {
  if (name.in_folder != 0) return path_in_folder(name.key);
  Path path;
  std::snprintf(path.text, sizeof path.text, "/proc/%" PRId64 "/fd/%" PRId32, name.process, name.descriptor);
  return path;
}

/// Random, as containers may share memory but not process numbers.
std::uint64_t fresh_key() {
  std::random_device random;
  return (std::uint64_t{random()} << 32 | random()) | 1;
}

int create(const Path& path) { return ::open(path.text, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, own_only); }

int open_unnamed(std::uint64_t key) {
  int fd = ::open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, own_only);
  if (fd >= 0) return fd;
  const Path path = path_in_folder(key);  // a file system without O_TMPFILE
  fd = create(path);
  if (fd >= 0) ::unlink(path.text);
  return fd;
}

/// Locked, and still there: another process that looks for abandoned names may have locked it first.
bool is_kept(int fd) {
  struct stat about {};
  return ::flock(fd, LOCK_EX | LOCK_NB) == 0 && ::fstat(fd, &about) == 0 && about.st_nlink > 0;
}

/// Removes a name whose maker has ended.
void remove_if_abandoned(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return;
  struct stat about {};
  if (::fstat(fd, &about) == 0 && about.st_uid == ::geteuid() && ::flock(fd, LOCK_EX | LOCK_NB) == 0)
    ::unlink(path.c_str());
  ::close(fd);
}

void remove_abandoned() {
  DIR* const listing = ::opendir(folder);
  if (!listing) return;
  while (const dirent* entry = ::readdir(listing))
    if (std::string_view(entry->d_name).starts_with(prefix))
      remove_if_abandoned(std::string(folder) + "/" + entry->d_name);
  ::closedir(listing);
}

int open_named(std::uint64_t key) {
  static const bool tidied = (remove_abandoned(), true);
  static_cast<void>(tidied);
  const Path path = path_in_folder(key);
  const int fd = create(path);
  if (fd < 0 || is_kept(fd)) return fd;
  ::unlink(path.text);
  ::close(fd);
  errno = EAGAIN;
  return -1;
}

}  // namespace

ObjectDoor::ObjectDoor(ObjectDoor&& other) noexcept : name_(std::exchange(other.name_, {})) {}

ObjectDoor& ObjectDoor::operator=(ObjectDoor&& other) noexcept {
  std::swap(name_, other.name_);
  return *this;
}

bool ObjectDoor::open(FoundBy by) {
  close();
  const std::uint64_t key = fresh_key();
  const int fd = by == FoundBy::name ? open_named(key) : open_unnamed(key);
  struct stat about {};
  if (fd < 0) return false;
  ::fstat(fd, &about);
  name_ = {key, about.st_dev, about.st_ino, ::getpid(), fd, by == FoundBy::name ? 1 : 0};
  return true;
}

void ObjectDoor::close() noexcept {
  if (name_.key == 0) return;
  if (name_.in_folder != 0) ::unlink(path_of(name_).text);
  ::close(name_.descriptor);
  name_ = {};
}

int find_object(const ObjectName& name, std::string& why) {
  const Path path = path_of(name);
  struct stat about {};
  int fd = -1;
  if (::stat(path.text, &about) == 0) {
    // Where processes have other numbers, this may be any file: it is not touched.
    if (about.st_dev == name.device && about.st_ino == name.inode)
      fd = ::open(path.text, O_RDWR | O_CLOEXEC);
    else
      errno = ESTALE;
  }
  if (fd < 0) why = std::string("opening shared memory of another rank: ") + std::strerror(errno);
  return fd;
}

bool file_may_have(std::size_t bytes, std::string& why) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || bytes <= limit.rlim_cur) return true;
  why = std::to_string(bytes) + " bytes of shared memory: files may have " + std::to_string(limit.rlim_cur) +
        " bytes (ulimit -f)";
  return false;
}

}  // namespace collio::transport
