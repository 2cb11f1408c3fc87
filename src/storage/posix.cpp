// See posix.hpp.
#include "storage/posix.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>

namespace collio::storage {

std::int64_t PageSpan::page_bytes() noexcept {
  static const std::int64_t bytes = ::sysconf(_SC_PAGESIZE);
  return bytes;
}

PageSpan::PageSpan(const core::Extent& span) noexcept
    : before(span), whole{span.end(), 0}, behind{span.end(), 0} {
  const std::int64_t page = page_bytes(), begin = (span.offset + page - 1) / page * page,
                     end = span.end() / page * page;
  if (begin >= end) return;  // all of it is read
  before.length = begin - span.offset;
  whole = {begin, end - begin};
  behind = {end, span.end() - end};
}

// Stores would not be seen by calls that go past the page cache, nor by a drill.
PosixFile::PosixFile(Descriptors file, Locks locks)
    : file_(std::move(file)),
      locks_(locks),
      mapping_(locks == Locks::none && file_.direct() < 0 && !file_.drill() ? mapping_of(file_.buffered())
                                                                            : Mapping::none) {}

Transfer PosixFile::run(Operation operation) {
  operation.run(file_);
  return concluded(operation);
}

Transfer PosixFile::write(const core::Extent& extent, const std::byte* from) {
  if (locks_ == Locks::none) return run(Operation::writing(extent, from));
  const std::lock_guard threads(locking_);
  const RangeLock lock(file_.buffered(), extent, RangeUse::write, pages_after());
  if (lock.error() != 0) return {0, no_lock(lock.error(), extent)};
  return run(Operation::writing(extent, from));
}

Transfer PosixFile::read(const core::Extent& extent, std::byte* to) {
  if (locks_ != Locks::all) return run(Operation::reading(extent, to));
  const std::lock_guard threads(locking_);
  const RangeLock lock(file_.buffered(), extent, RangeUse::read);
  if (lock.error() != 0) return {0, no_lock(lock.error(), extent)};
  return run(Operation::reading(extent, to));
}

bool PosixFile::write_once(const core::Extent& extent, const std::byte* from) noexcept {
  return locks_ == Locks::none && Operation::write_once(file_, extent, from);
}

bool PosixFile::read_once(const core::Extent& extent, std::byte* to) noexcept {
  return locks_ != Locks::all && Operation::read_once(file_, extent, to);
}

bool PosixFile::store(const PieceWrite& what) {
  if (mapping_ == Mapping::none || !mapping_pays(what)) return false;
  if (store_mapped(file_.buffered(), mapping_, what)) return true;
  mapping_ = Mapping::none;  // an old kernel, or a full disk: not tried for every window
  return false;
}

/// True also where the file system does not know.
bool PosixFile::has_bytes_in(const core::Extent& extent) const noexcept {
  if (extent.length == 0) return false;
  const off_t data = ::lseek(file_.buffered(), extent.offset, SEEK_DATA);
  return data >= 0 ? data < extent.end() : errno != ENXIO;
}

bool PosixFile::read_old(const core::Extent& extent, std::byte* to) {
  if (!has_bytes_in(extent)) {  // a read would have the kernel read ahead, zeros into pages to be written
    std::fill_n(to, extent.length, std::byte{0});
    return true;
  }
  const Transfer read = run(Operation::reading(extent, to));
  if (read.error.ok()) std::fill(to + read.bytes, to + extent.length, std::byte{0});
  return read.error.ok();
}

bool PosixFile::fill_afresh(const WholeWrite& what, const PageSpan& pages) {
  const std::unique_ptr<std::byte[]> edges(new (std::nothrow) std::byte[3 * PageSpan::page_bytes()]);
  if (!edges) return false;
  std::byte* const last = edges.get() + 2 * PageSpan::page_bytes();
  if (!read_old(pages.before, edges.get()) || !read_old(pages.behind, last)) return false;
  what.for_each_hole([&](const core::Extent& hole) {
    std::byte* to = what.data + (hole.offset - what.span.offset);
    for (std::int64_t at = hole.offset; at < hole.end(); ++at, ++to) {
      if (at < pages.whole.offset) {
        *to = edges[static_cast<std::size_t>(at - pages.before.offset)];
      } else if (at >= pages.behind.offset) {
        *to = last[at - pages.behind.offset];
      } else {
        const std::int64_t end = std::min(hole.end(), pages.behind.offset);
        std::fill_n(to, end - at, std::byte{0});
        to += end - 1 - at;
        at = end - 1;
      }
    }
  });
  return true;
}

bool PosixFile::fill_with_old(const WholeWrite& what) {
  std::byte* const room = what.room();
  if (!room || !read_old(what.span, room)) return false;
  what.for_each_hole([&](const core::Extent& hole) {
    const std::int64_t at = hole.offset - what.span.offset;
    std::copy_n(room + at, hole.length, what.data + at);
  });
  return true;
}

std::optional<Transfer> PosixFile::write_whole(const WholeWrite& what) {
  if (mapping_ == Mapping::none || !file_.others()) return std::nullopt;
  const OtherWriters::Absence nobody_else(*file_.others(), file_.buffered());
  if (!nobody_else) return std::nullopt;
  const PageSpan pages(what.span);
  // In memory stores to pages that are there cost less than two copies.
  const bool old_too = mapping_ != Mapping::free && what.pays_with_old;
  const bool filled = !has_bytes_in(pages.whole) ? fill_afresh(what, pages) : old_too && fill_with_old(what);
  if (!filled) return std::nullopt;
  return run(Operation::writing(what.span, what.data));
}

std::optional<Transfer> PosixFile::sieve(const core::Extent& span, std::byte* room, const Placing& place) {
  const std::lock_guard threads(locking_);
  const RangeLock lock(file_.buffered(), span, RangeUse::write, pages_after());
  if (lock.error() != 0) return std::nullopt;
  const Transfer before = run(Operation::reading(span, room));
  if (!before.error.ok()) return std::nullopt;
  std::fill_n(room + before.bytes, span.length - before.bytes, std::byte{0});
  place(room);
  return run(Operation::writing(span, room));
}

Transfer PosixFile::write_beside(const core::Extent& extent, const std::byte* from) {
  if (locks_ != Locks::none) return write(extent, from);
  const std::lock_guard threads(locking_);
  const RangeLock lock(file_.buffered(), extent, RangeUse::write);  // without locks nobody sieves
  return run(Operation::writing(extent, from));
}

core::Error PosixFile::no_lock(int error, const core::Extent& extent) const {
  return {class_of_errno(error), "lock " + file_.path() + " at offset " + std::to_string(extent.offset) +
                                     ": " + std::strerror(error) + " (errno " + std::to_string(error) + ")"};
}

Transfer PosixFile::concluded(Operation& operation) noexcept {
  if (operation.direct_refused()) direct_refused_ = true;
  return operation.take();
}

core::Error PosixFile::sync() {
  const int error = make_call(file_.drill(), policy::FaultPoint::sync,
                              [this] { return ::fsync(file_.buffered()) == 0 ? 0 : errno; });
  if (error == 0) return {};
  return {class_of_errno(error),
          "fsync " + file_.path() + ": " + std::strerror(error) + " (errno " + std::to_string(error) + ")"};
}

namespace {

/// Zeros from the end of the file up to `bytes`: errno or 0. What lies before the end is not touched, unlike
/// by posix_fallocate(): others may write there.
int append_zeros(int fd, std::int64_t bytes) {
  static constexpr std::array<std::byte, 1 << 16> zeros{};
  struct stat about {};
  if (::fstat(fd, &about) != 0) return errno;
  for (std::int64_t at = about.st_size; at < bytes;) {
    const auto part = std::min<std::int64_t>(bytes - at, static_cast<std::int64_t>(zeros.size()));
    const ssize_t written = ::pwrite(fd, zeros.data(), static_cast<std::size_t>(part), at);
    if (written < 0) return errno;
    at += written;
  }
  return 0;
}

int make_room(int fd, std::int64_t bytes) {
  if (::fallocate(fd, 0, 0, bytes) == 0) return 0;
  return errno == EOPNOTSUPP || errno == ENOSYS ? append_zeros(fd, bytes) : errno;
}

}  // namespace

core::Error PosixFile::allocate(std::int64_t bytes) {
  if (bytes == 0) return {};
  const int error =
      make_call(file_.drill(), policy::FaultPoint::write, [&] { return make_room(file_.buffered(), bytes); });
  if (error == 0) return {};
  return {class_of_errno(error), "make room for " + std::to_string(bytes) + " bytes of " + file_.path() +
                                     ": " + std::strerror(error) + " (errno " + std::to_string(error) + ")"};
}

std::string PosixFile::remarks() const {
  const std::string faults = file_.drill() ? file_.drill()->remarks() : "";
  const std::string direct =
      direct_refused_ ? "O_DIRECT calls were refused with EINVAL; their bytes went through the page cache"
                      : file_.no_direct();
  return faults + (faults.empty() || direct.empty() ? "" : "; ") + direct;
}

core::Result<std::unique_ptr<Storage>> open_posix(const std::string& path, Access access) {
  auto file = Descriptors::open(path, access, false);
  if (!file.ok()) return file.error();
  return std::unique_ptr<Storage>(std::make_unique<PosixFile>(std::move(file.value())));
}

}  // namespace collio::storage
