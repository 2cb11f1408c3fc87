// See shared_memory.hpp.
#include "transport/node_memory/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>

#include "transport/node_memory/node_board.hpp"
#include "transport/node_memory/spread_pages.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::transport {

namespace {

using Name = SharedMemory::Name;

constexpr std::size_t smallest_part = 64 << 10;

/// Reserves the pages: 0 or errno. A profiler's signals interrupt this one again and again, with what it has
/// reserved given back: it is tried in parts then, which are reserved sooner.
int reserve(int fd, std::size_t bytes) {
  std::size_t part = bytes;
  for (std::size_t at = 0; at < bytes;) {
    const int error =
        ::posix_fallocate(fd, static_cast<off_t>(at), static_cast<off_t>(std::min(part, bytes - at)));
    if (error == 0)
      at += part;
    else if (error != EINTR)
      return error;
    else
      part = std::max(part / 2, smallest_part);
  }
  return 0;
}

/// Where shm_open() has its objects; -1: not known.
std::int64_t free_bytes() {
  struct statvfs about {};
  if (::statvfs("/dev/shm", &about) != 0) return -1;
  return static_cast<std::int64_t>(about.f_bavail) * static_cast<std::int64_t>(about.f_frsize);
}

/// Before the pages are there: the object keeps the policy. What cannot be spread is slower, and good for all
/// that.
void spread(int fd, std::size_t bytes) {
  if (::ftruncate(fd, static_cast<off_t>(bytes)) != 0) return;
  void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (p == MAP_FAILED) return;
  static_cast<void>(spread_pages({static_cast<std::byte*>(p), bytes}, memory_domains()));
  ::munmap(p, bytes);
}

/// Makes an object no other process has, with all its pages. -1: `why` says what failed.
int create(Name& name, std::size_t bytes, SharedMemory::Pages pages, std::string& why) {
  if (const std::int64_t there = free_bytes(); there >= 0 && static_cast<std::int64_t>(bytes) > there / 2) {
    why = std::to_string(bytes) + " bytes of shared memory: " + std::to_string(there) +
          " are free in /dev/shm, of which collio takes half at most";
    return -1;
  }
  // Random, as containers may share memory but not process numbers.
  std::random_device random;
  std::snprintf(name.data(), name.size(), "/collio.%ld.%08x%08x", static_cast<long>(::getpid()), random(),
                random());
  const int fd = ::shm_open(name.data(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd >= 0 && pages == SharedMemory::Pages::spread) spread(fd, bytes);
  const int error = fd < 0 ? errno : reserve(fd, bytes);
  if (error == 0) return fd;
  why = std::to_string(bytes) + " bytes of shared memory: " + std::strerror(error);
  if (fd >= 0) {
    ::shm_unlink(name.data());
    ::close(fd);
  }
  return -1;
}

std::byte* map(int fd, std::size_t bytes, std::string& why) {
  if (fd < 0) return nullptr;
  void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::close(fd);
  if (p != MAP_FAILED) return static_cast<std::byte*>(p);
  why = std::string("mapping shared memory: ") + std::strerror(errno);
  return nullptr;
}

}  // namespace

bool NodeTalk::all_true(bool mine) const {
  int all = mine ? 1 : 0;
  if (board) {
    board->reduce(NodeBoard::Channel::numbers, std::as_writable_bytes(std::span(&all, 1)),
                  [](const std::byte* in, std::byte* inout, std::size_t n) {
                    for (std::size_t i = 0; i < n; ++i) inout[i] &= in[i];
                  });
    return all != 0;
  }
  reduce_to_all(&all, 1, MPI_INT, MPI_MIN, node);
  return all != 0;
}

void NodeTalk::broadcast(Text& text) const {
  if (board) {
    int rank = 0;
    MPI_Comm_rank(node, &rank);
    if (rank != 0) text = {};
    board->reduce(NodeBoard::Channel::numbers, std::as_writable_bytes(std::span(text)),
                  [](const std::byte* in, std::byte* inout, std::size_t n) {
                    for (std::size_t i = 0; i < n; ++i) inout[i] |= in[i];
                  });
    return;
  }
  transport::broadcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, 0, node);
}

std::unique_ptr<SharedMemory> SharedMemory::share(const NodeTalk& talk, std::size_t bytes, std::string& why,
                                                  Pages pages) {
  int rank = 0;
  MPI_Comm_rank(talk.node, &rank);
  Name name{};
  int fd = -1;
  if (rank == 0) {
    fd = create(name, bytes, pages, why);
    if (fd < 0) name[0] = '\0';
  }
  talk.broadcast(name);
  if (name[0] == '\0') return nullptr;
  if (rank != 0) {
    fd = ::shm_open(name.data(), O_RDWR | O_CLOEXEC, 0);
    if (fd < 0) why = std::string("opening shared memory of another rank: ") + std::strerror(errno);
  }
  std::byte* data = map(fd, bytes, why);
  const bool everywhere = talk.all_true(data != nullptr);
  if (rank == 0) ::shm_unlink(name.data());  // lives on in the mappings
  if (everywhere) return std::unique_ptr<SharedMemory>(new SharedMemory(data, bytes, name));
  if (data) ::munmap(data, bytes);
  return nullptr;
}

std::unique_ptr<SharedMemory> SharedMemory::create_alone(std::size_t bytes, std::string& why) {
  Name name{};
  const int fd = create(name, bytes, Pages::anywhere, why);
  std::byte* data = map(fd, bytes, why);
  if (fd >= 0 && !data) ::shm_unlink(name.data());
  return data ? std::unique_ptr<SharedMemory>(new SharedMemory(data, bytes, name)) : nullptr;
}

std::unique_ptr<SharedMemory> SharedMemory::join(const Name& name, std::size_t bytes) {
  std::string why;
  std::byte* data = map(::shm_open(name.data(), O_RDWR | O_CLOEXEC, 0), bytes, why);
  return data ? std::unique_ptr<SharedMemory>(new SharedMemory(data, bytes, name)) : nullptr;
}

void SharedMemory::remove_name(const Name& name) noexcept { ::shm_unlink(name.data()); }

std::int64_t SharedMemory::share_of_free() { return std::max<std::int64_t>(free_bytes() / 4, 0); }

void SharedMemory::discard() noexcept { ::madvise(data_, bytes_, MADV_REMOVE); }

SharedMemory::~SharedMemory() { ::munmap(data_, bytes_); }

}  // namespace collio::transport
