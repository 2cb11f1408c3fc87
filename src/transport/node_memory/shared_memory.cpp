// See shared_memory.hpp.
#include "transport/node_memory/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "transport/node_memory/node_board.hpp"
#include "transport/node_memory/spread_pages.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::transport {

namespace {

/// Ranks of this process's nodes do not find each other's objects by descriptor.
std::atomic<bool> names_are_needed{false};

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

/// Before the pages are there: the object keeps the policy. What cannot be spread is slower, and good for all
/// that.
void spread(int fd, std::size_t bytes) {
  void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (p == MAP_FAILED) return;
  static_cast<void>(spread_pages({static_cast<std::byte*>(p), bytes}, memory_domains()));
  ::munmap(p, bytes);
}

constexpr int populate_read = 22, populate_write = 23;  // MADV_…, of Linux 5.14; the C library may be older

/// 0 or errno.
int set_up(int fd, const SharedMemory::Need& need) {
  if (::ftruncate(fd, static_cast<off_t>(need.bytes)) != 0) return errno;
  if (need.pages == SharedMemory::Pages::spread) spread(fd, need.bytes);
  return reserve(fd, SharedMemory::kernel_makes_pages() ? std::min(need.at_once, need.bytes) : need.bytes);
}

/// Makes an object no other process has. False: `why` says what failed.
bool create(ObjectDoor& door, const SharedMemory::Need& need, std::string& why) {
  if (!file_may_have(need.bytes, why) || !SharedMemory::is_half(need.bytes, SharedMemory::free_bytes(), why))
    return false;
  const int error = door.open(names_are_needed ? FoundBy::name : FoundBy::descriptor)
                        ? set_up(door.descriptor(), need)
                        : errno;
  if (error == 0) return true;
  why = std::to_string(need.bytes) + " bytes of shared memory: " + std::strerror(error);
  return false;
}

std::byte* map(int fd, std::size_t bytes, std::string& why) {
  void* p = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
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

void NodeTalk::broadcast(std::span<std::byte> bytes) const {
  if (board) {
    int rank = 0;
    MPI_Comm_rank(node, &rank);
    if (rank != 0) std::ranges::fill(bytes, std::byte{0});
    board->reduce(NodeBoard::Channel::numbers, bytes,
                  [](const std::byte* in, std::byte* inout, std::size_t n) {
                    for (std::size_t i = 0; i < n; ++i) inout[i] |= in[i];
                  });
    return;
  }
  transport::broadcast(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, node);
}

std::unique_ptr<SharedMemory> SharedMemory::share(const NodeTalk& talk, std::size_t bytes, std::string& why) {
  int rank = 0;
  MPI_Comm_rank(talk.node, &rank);
  for (;;) {
    ObjectDoor door;
    std::unique_ptr<SharedMemory> memory;
    if (rank == 0) memory = create_alone({.bytes = bytes}, door, why);
    Name name = memory ? memory->name() : Name{};
    talk.broadcast(std::as_writable_bytes(std::span(&name, 1)));
    if (name.key == 0) return nullptr;
    if (rank != 0) memory = join(name, bytes, why);
    const bool by_name = name.in_folder != 0;
    if (talk.all_true(memory != nullptr)) return memory;
    if (by_name) return nullptr;
    names_are_needed = true;
  }
}

std::unique_ptr<SharedMemory> SharedMemory::create_alone(const Need& need, ObjectDoor& door,
                                                         std::string& why) {
  std::byte* data = create(door, need, why) ? map(door.descriptor(), need.bytes, why) : nullptr;
  if (data) return std::unique_ptr<SharedMemory>(new SharedMemory(data, need.bytes, door.name()));
  door.close();
  return nullptr;
}

std::unique_ptr<SharedMemory> SharedMemory::join(const Name& name, std::size_t bytes, std::string& why) {
  const int fd = find_object(name, why);
  if (fd < 0) return nullptr;
  std::byte* data = map(fd, bytes, why);
  ::close(fd);
  return data ? std::unique_ptr<SharedMemory>(new SharedMemory(data, bytes, name)) : nullptr;
}

std::int64_t SharedMemory::share_of_free() { return std::max<std::int64_t>(free_bytes() / 4, 0); }

std::int64_t SharedMemory::free_bytes() {
  struct statvfs about {};
  if (::statvfs("/dev/shm", &about) != 0) return -1;
  return static_cast<std::int64_t>(about.f_bavail) * static_cast<std::int64_t>(about.f_frsize);
}

bool SharedMemory::is_half(std::size_t bytes, std::int64_t there, std::string& why) {
  if (there < 0 || static_cast<std::int64_t>(bytes) <= there / 2) return true;
  why = std::to_string(bytes) + " bytes of shared memory: " + std::to_string(there) +
        " are free in /dev/shm, of which collio takes half at most";
  return false;
}

bool SharedMemory::kernel_makes_pages() noexcept {
  static const bool known = ::madvise(nullptr, 0, populate_write) == 0;
  return known;
}

bool SharedMemory::make_pages(std::size_t begin, std::size_t bytes, std::string& why) noexcept {
  const std::span<std::byte> pages = pages_of(begin, bytes);
  int error = 0;
  do error = ::madvise(pages.data(), pages.size(), populate_write) == 0 ? 0 : errno;
  while (error == EINTR || error == EAGAIN);
  if (error == 0) return true;
  why = std::to_string(bytes) + " of " + std::to_string(bytes_) +
        " bytes of shared memory: " + (error == EFAULT ? "/dev/shm is full" : std::strerror(error));
  return false;
}

void SharedMemory::map_pages(std::size_t begin, std::size_t bytes, bool fresh) noexcept {
  // Fresh pages are zeroed soonest as if written. Of pages that are there, the kernel maps neighbours with
  // each that is read, for writing too.
  const std::span<std::byte> pages = pages_of(begin, bytes);
  ::madvise(pages.data(), pages.size(), fresh ? populate_write : populate_read);
}

std::span<std::byte> SharedMemory::pages_of(std::size_t begin, std::size_t bytes) const noexcept {
  static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t behind = reinterpret_cast<std::uintptr_t>(data_ + begin) % page;
  return {data_ + begin - behind, std::min(bytes, bytes_ - begin) + behind};
}

void SharedMemory::discard() noexcept { ::madvise(data_, bytes_, MADV_REMOVE); }

SharedMemory::~SharedMemory() { ::munmap(data_, bytes_); }

}  // namespace collio::transport
