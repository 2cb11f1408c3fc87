// See probes.hpp.
#include "doctor/probes.hpp"

#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "storage/range_lock.hpp"

namespace collio::doctor {

namespace {

struct Wanted {
  const char* begin;
  std::string path;
};

int note_library(dl_phdr_info* info, std::size_t, void* data) {
  auto* wanted = static_cast<Wanted*>(data);
  const char* slash = std::strrchr(info->dlpi_name, '/');
  if (std::strncmp(slash ? slash + 1 : info->dlpi_name, wanted->begin, std::strlen(wanted->begin)) != 0)
    return 0;
  wanted->path = info->dlpi_name;
  return 1;
}

}  // namespace

std::string loaded_library(const char* begin) {
  Wanted wanted{begin, {}};
  dl_iterate_phdr(note_library, &wanted);
  return wanted.path;
}

std::int64_t free_shared_memory() {
  struct statvfs about {};
  if (::statvfs("/dev/shm", &about) != 0) return -1;
  return static_cast<std::int64_t>(about.f_bavail) * static_cast<std::int64_t>(about.f_frsize);
}

int try_io_uring() {
#ifdef SYS_io_uring_setup
  std::array<std::uint32_t, 30> parameters{};  // struct io_uring_params
  const long fd = ::syscall(SYS_io_uring_setup, 2, parameters.data());
  if (fd < 0) return errno;
  ::close(static_cast<int>(fd));
  return 0;
#else
  return ENOSYS;
#endif
}

int try_locks(const std::string& folder) {
  std::string path = folder + "/locked.XXXXXX";
  const int fd = ::mkostemp(path.data(), O_CLOEXEC);
  if (fd < 0) return errno;
  ::unlink(path.c_str());
  const int error = storage::try_range_lock(fd, storage::RangeUse::write);
  ::close(fd);
  return error;
}

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

}  // namespace collio::doctor
