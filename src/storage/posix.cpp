// See posix.hpp.
#include "storage/posix.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace collio::storage {

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

bool PosixFile::store(const PieceWrite& what) {
  if (mapping_ == Mapping::none || !mapping_pays(what)) return false;
  if (store_mapped(file_.buffered(), mapping_, what)) return true;
  mapping_ = Mapping::none;  // an old kernel, or a full disk: not tried for every window
  return false;
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

core::Error PosixFile::allocate(std::int64_t bytes) {
  if (bytes == 0) return {};
  const int error = make_call(file_.drill(), policy::FaultPoint::write,
                              [&] { return ::posix_fallocate(file_.buffered(), 0, bytes); });
  if (error == 0) return {};
  return {class_of_errno(error), "posix_fallocate of " + std::to_string(bytes) + " bytes of " + file_.path() +
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
