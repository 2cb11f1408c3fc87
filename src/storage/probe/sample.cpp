// See sample.hpp.
#include "storage/probe/sample.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>
#include <random>
#include <string>
#include <utility>

#include "storage/storage.hpp"

namespace collio::storage::probe {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::int64_t page_bytes = 4096;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

bool is_in_user_space(int fd) {
  struct statfs fs {};
  return ::fstatfs(fd, &fs) == 0 && fs.f_type == FUSE_SUPER_MAGIC;
}

/// The file of one sample, and how it is written.
class Writer {
 public:
  Writer(int fd, const SampleWork& work, Sample& sample) : fd_(fd), work_(work), sample_(sample) {
    if (work.direct && !make_direct()) refuse_direct(errno);
    if (!work.direct) sample_.way = Way::synced;
  }
  ~Writer() {
    if (reopened_ >= 0) ::close(reopened_);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// 0, or an errno.
  [[nodiscard]] int write_block() {
    const auto length = static_cast<std::size_t>(work_.size.block_bytes);
    for (std::size_t done = 0; done < length;) {
      const ssize_t moved = ::pwrite(reopened_ >= 0 ? reopened_ : fd_, work_.block.get() + done,
                                     length - done, sample_.bytes + static_cast<std::int64_t>(done));
      if (moved > 0) {
        done += static_cast<std::size_t>(moved);
      } else if (moved == 0) {
        return EIO;
      } else if (sample_.way == Way::direct && (errno == EINVAL || errno == EOPNOTSUPP)) {
        refuse_direct(errno);  // also behind a short write
        make_buffered();
      } else if (errno != EINTR) {
        return errno;
      }
    }
    if (const int error = sample_.way == Way::synced ? flush_block() : 0; error != 0) return error;
    sample_.bytes += work_.size.block_bytes;
    return 0;
  }

  /// 0, or an errno.
  [[nodiscard]] int finish() const {
    if (sample_.way == Way::direct || ::fdatasync(fd_) == 0) return 0;
    return errno == EINVAL ? 0 : errno;  // a special file, which has nothing to sync
  }

 private:
  /// A server in user space hears of O_DIRECT when a file is opened, not of fcntl(2), and its own cache would
  /// take the bytes.
  bool make_direct() {
    if (!in_user_space_) return set_direct(true);
    const std::string self = "/proc/self/fd/" + std::to_string(fd_);
    reopened_ = ::open(self.c_str(), O_WRONLY | O_CLOEXEC | O_DIRECT);
    return reopened_ >= 0;
  }
  void make_buffered() {
    if (reopened_ >= 0)
      ::close(std::exchange(reopened_, -1));
    else
      set_direct(false);
  }
  bool set_direct(bool on) {
    const int flags = ::fcntl(fd_, F_GETFL);
    return flags >= 0 && ::fcntl(fd_, F_SETFL, on ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
  }
  void refuse_direct(int error) {
    sample_.way = Way::synced;
    sample_.no_direct = std::string("O_DIRECT: ") + std::strerror(error);
  }
  [[nodiscard]] int flush_block() const {
    if (in_user_space_) return finish();  // sync_file_range(2) ends in the server's cache
    constexpr unsigned all = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
    if (::sync_file_range(fd_, sample_.bytes, work_.size.block_bytes, all) == 0) return 0;
    const bool has_none = errno == EINVAL || errno == ESPIPE || errno == ENOSYS || errno == EOPNOTSUPP;
    return has_none ? finish() : errno;
  }

  int fd_, reopened_ = -1;
  const bool in_user_space_ = is_in_user_space(fd_);
  const SampleWork& work_;
  Sample& sample_;
};

/// 0: there is room, or the file system does not say. Else ENOSPC: a probe does not fill a disk up.
int check_room(int fd, std::int64_t bytes) {
  struct statvfs room {};
  if (::fstatvfs(fd, &room) != 0 || room.f_blocks == 0) return 0;
  return static_cast<double>(room.f_bavail) * static_cast<double>(room.f_frsize) < static_cast<double>(bytes)
             ? ENOSPC
             : 0;
}

}  // namespace

SampleSize sample_of(std::int64_t bytes) noexcept {
  const std::int64_t block = std::clamp<std::int64_t>(bytes / 4, 64 << 10, 4 << 20) / page_bytes * page_bytes;
  return {std::max<std::int64_t>(bytes / block, 1) * block, block};
}

std::shared_ptr<SampleWork> prepare_samples(const SampleSize& size, bool direct) {
  auto work = std::make_shared<SampleWork>();
  work->size = size;
  work->direct = direct;
  const auto length = static_cast<std::size_t>(size.block_bytes);
  auto* const block = static_cast<std::byte*>(std::aligned_alloc(page_bytes, length));
  if (block == nullptr) throw std::bad_alloc();
  work->block = std::shared_ptr<const std::byte>(
      block, [](const std::byte* memory) { std::free(const_cast<std::byte*>(memory)); });
  std::mt19937_64 dice(std::random_device{}());
  for (std::size_t i = 0; i < length; i += sizeof(std::uint64_t)) {
    const std::uint64_t next = dice();
    std::memcpy(block + i, &next, sizeof next);
  }
  return work;
}

Sample take_sample(const Target& target, const SampleWork& work, Progress& progress) {
  Sample sample;
  progress.mark("making a file");
  const auto file = target.make ? target.make() : file_in_folder(target.folder);
  if (!file) {
    sample.error = file.error();
    return sample;
  }
  const int fd = file.value().fd();
  int error = check_room(fd, work.size.bytes);
  Writer writer(fd, work, sample);
  const Clock::time_point begin = Clock::now();
  double first_s = 0;
  while (error == 0 && sample.bytes < work.size.bytes && sample.whole) {
    progress.mark("writing");
    error = writer.write_block();
    sample.seconds = seconds_since(begin);
    if (sample.bytes == work.size.block_bytes) first_s = sample.seconds;
    sample.whole =
        sample.bytes == work.size.bytes || (sample.seconds < work.enough_s && Clock::now() < work.end);
  }
  progress.mark("syncing");
  if (error == 0) error = writer.finish();
  sample.seconds = seconds_since(begin);
  if (error != 0)
    sample.error = {class_of_errno(error),
                    std::string("the probe's file cannot be written: ") + std::strerror(error)};
  const bool one_block = sample.bytes <= work.size.block_bytes;
  const auto timed = static_cast<double>(one_block ? sample.bytes : sample.bytes - work.size.block_bytes);
  sample.bytes_per_s = timed / std::max(one_block ? sample.seconds : sample.seconds - first_s, 1e-9);
  progress.mark("removing the file");
  return sample;
}

}  // namespace collio::storage::probe
