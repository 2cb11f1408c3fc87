// See operation.hpp.
#include "storage/operation.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "storage/high_descriptor.hpp"

namespace collio::storage {

namespace {

constexpr std::int64_t most_per_call =
    1 << 30;  // Linux moves no more than 2 GiB - 4 KiB, and the ring counts in 32 bits
constexpr std::int64_t most_per_watched_call = 256 << 10;

core::Error failure(const char* what, const std::string& path, int error) {
  return {class_of_errno(error), std::string(what) + " " + path + ": " + std::strerror(error) + " (errno " +
                                     std::to_string(error) + ")"};
}

std::int64_t direct_alignment(int fd) noexcept {
  std::int64_t alignment = 4096;
#ifdef STATX_DIOALIGN
  struct statx s {};
  if (::statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &s) == 0 && (s.stx_mask & STATX_DIOALIGN))
    alignment = std::max<std::int64_t>({alignment, s.stx_dio_mem_align, s.stx_dio_offset_align});
#else
  static_cast<void>(fd);
#endif
  return alignment;
}

}  // namespace

core::Result<Descriptors> Descriptors::open(const std::string& path, Access access, bool direct,
                                            std::shared_ptr<FaultDrill> drill) {
  const int flags = O_CLOEXEC | (access == Access::read_only    ? O_RDONLY
                                 : access == Access::write_only ? O_WRONLY
                                                                : O_RDWR);
  Descriptors d;
  d.path_ = path;
  d.drill_ = std::move(drill);
  const int error = make_call(d.drill(), policy::FaultPoint::open, [&] {
    return (d.buffered_ = moved_high(::open(path.c_str(), flags))) < 0 ? errno : 0;
  });
  if (error != 0) return failure("open", path, error);
  if (direct) {
    // Not by its name, which may be another file's by now.
    d.direct_ = moved_high(::open(Holder::with(d.buffered_).path().c_str(), flags | O_DIRECT));
    if (d.direct_ < 0)
      d.no_direct_ = std::string("O_DIRECT is refused: ") + std::strerror(errno);
    else
      d.alignment_ = direct_alignment(d.direct_);
  }
  return d;
}

core::Result<Descriptors> Descriptors::open_held(const Holder& holder, const std::string& path, Access access,
                                                 bool direct, const std::shared_ptr<FaultDrill>& drill) {
  auto by_name = open(path, access, direct, drill);
  if (by_name.ok() && holder.holds(by_name.value().buffered())) return by_name;
  if (holder.process != 0) {
    auto by_holder = open(holder.path(), access, direct, drill);
    if (by_holder.ok() && holder.holds(by_holder.value().buffered())) {
      by_holder.value().path_ = path;
      return by_holder;
    }
  }
  if (!by_name.ok()) return by_name;
  return core::Error{
      core::ErrorClass::no_such_file,
      "open " + path +
          ": another file has this name now, and no process of this node shows the one that was opened"};
}

Descriptors::Descriptors(Descriptors&& o) noexcept
    : drill_(std::move(o.drill_)),
      watch_(std::move(o.watch_)),
      others_(std::move(o.others_)),
      path_(std::move(o.path_)),
      no_direct_(std::move(o.no_direct_)),
      buffered_(std::exchange(o.buffered_, -1)),
      direct_(std::exchange(o.direct_, -1)),
      alignment_(o.alignment_) {}

Descriptors::~Descriptors() { static_cast<void>(close()); }

core::Error Descriptors::close() {
  core::Error first;
  for (int* fd : {&buffered_, &direct_}) {
    const int closing = std::exchange(*fd, -1);
    // Interrupted, it is closed all the same.
    if (closing < 0 || ::close(closing) == 0 || errno == EINTR) continue;
    if (first.ok()) first = failure("close", path_, errno);
  }
  return first;
}

ssize_t SystemCall::make() const noexcept {
  if (wait_s > 0) std::this_thread::sleep_for(std::chrono::duration<double>(wait_s));
  if (outcome) return *outcome;
  const ssize_t n = write ? ::pwrite(fd, data, bytes, offset) : ::pread(fd, data, bytes, offset);
  return n < 0 ? -errno : n;
}

Operation Operation::writing(const core::Extent& extent, const std::byte* from) {
  Operation o = reading(extent, const_cast<std::byte*>(from));
  o.write_ = true;
  return o;
}

Operation Operation::reading(const core::Extent& extent, std::byte* to) {
  Operation o;
  o.extent_ = extent;
  o.data_ = to;
  o.complete_ = extent.length <= 0;
  return o;
}

SystemCall Operation::next(const Descriptors& file) {
  SystemCall call = whole_rest(file);
  if (!file.drill()) return call;
  if (!injection_)
    injection_ = file.drill()->draw(write_ ? policy::FaultPoint::write : policy::FaultPoint::read);
  injection_->apply(call, result_.bytes);
  return call;
}

/// One call for all that is left, or for the most that one call takes.
SystemCall Operation::whole_rest(const Descriptors& file) const noexcept {
  SystemCall call{
      write_,         false, file.buffered(), data_ + result_.bytes, 0, extent_.offset + result_.bytes,
      file.buffered()};
  std::int64_t left = std::min(extent_.length - result_.bytes,
                               write_ && file.watch() ? most_per_watched_call : most_per_call);
  if (file.direct() >= 0 && !direct_refused_) {
    const std::int64_t a = file.alignment();
    const std::int64_t before = (a - call.offset % a) % a;  // to the next aligned byte
    const bool reaches =
        reinterpret_cast<std::uintptr_t>(call.data + before) % static_cast<std::uintptr_t>(a) == 0 &&
        left - before >= a;
    if (reaches && before > 0) left = before;
    if (reaches && before == 0) {
      call.direct = true;
      call.fd = file.direct();
      left -= left % a;
    }
  }
  call.bytes = static_cast<std::size_t>(left);
  return call;
}

void Operation::book(const Descriptors& file, const SystemCall& call, ssize_t outcome) {
  if (outcome > 0) {
    result_.bytes += outcome;
    complete_ = result_.bytes >= extent_.length;
    return;
  }
  if (outcome == -EINTR) return;
  if (outcome == -EINVAL && call.direct) {
    direct_refused_ = true;
    return;
  }
  complete_ = true;
  if (outcome == 0 && !write_) return;  // the end of the file
  result_.error =
      failure(write_ ? "write" : "read", file.path(), outcome == 0 ? EIO : static_cast<int>(-outcome));
  result_.error.message += " at offset " + std::to_string(call.offset);
}

namespace {

/// Nothing but the call is to do: most transfers are over then.
bool takes_one_call(const Descriptors& file, const core::Extent& extent) noexcept {
  return !file.drill() && file.direct() < 0 && extent.length > 0 && extent.length <= most_per_call;
}

ssize_t written(const Descriptors& file, const core::Extent& extent, const std::byte* from) noexcept {
  return ::pwrite(file.buffered(), from, static_cast<std::size_t>(extent.length), extent.offset);
}

ssize_t read_bytes(const Descriptors& file, const core::Extent& extent, std::byte* to) noexcept {
  return ::pread(file.buffered(), to, static_cast<std::size_t>(extent.length), extent.offset);
}

}  // namespace

bool Operation::write_once(const Descriptors& file, const core::Extent& extent,
                           const std::byte* from) noexcept {
  return takes_one_call(file, extent) && !file.watch() && written(file, extent, from) == extent.length;
}

bool Operation::read_once(const Descriptors& file, const core::Extent& extent, std::byte* to) noexcept {
  return takes_one_call(file, extent) && read_bytes(file, extent, to) == extent.length;
}

void Operation::run(const Descriptors& file) {
  if (write_ && file.watch()) return run_watched(file, *file.watch());
  if (!complete_ && takes_one_call(file, extent_)) {
    const ssize_t moved = write_ ? written(file, extent_, data_) : read_bytes(file, extent_, data_);
    if (moved == extent_.length) {
      result_.bytes = moved;
      complete_ = true;
      return;
    }
    book(file, whole_rest(file), moved < 0 ? -errno : moved);
  }
  while (!complete_) {
    const SystemCall call = next(file);
    book(file, call, call.make());
  }
}

void Operation::run_watched(const Descriptors& file, WriteWatch& watch) {
  using Clock = std::chrono::steady_clock;
  for (auto begin = Clock::now(); !complete_;) {  // of a call, with those before it that were interrupted
    if (!watch.wanted()) {
      complete_ = true;
      return;
    }
    const SystemCall call = next(file);
    const ssize_t outcome = call.make();
    book(file, call, outcome);
    if (outcome <= 0) continue;
    const auto end = Clock::now();
    watch.took(outcome, std::chrono::duration<double>(end - begin).count());
    begin = end;
  }
}

}  // namespace collio::storage
