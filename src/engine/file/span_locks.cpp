// See span_locks.hpp.
#include "engine/file/span_locks.hpp"

#include <fcntl.h>

namespace collio::engine {

namespace {

int flags_for(bool reads, bool writes) { return reads && writes ? O_RDWR : writes ? O_WRONLY : O_RDONLY; }

core::Error no_lock(const std::string& path, int error) {
  return error == 0 ? core::Error{} : storage::errno_error("lock, for atomic mode,", path, error);
}

}  // namespace

SpanLocks::SpanLocks(const std::string& path, bool reads, bool writes)
    : path_(path),
      file_(path, flags_for(reads, writes)),
      use_(writes ? storage::RangeUse::write : storage::RangeUse::read) {}

core::Error SpanLocks::error() const {
  return no_lock(path_, file_.error() != 0 ? file_.error() : storage::try_range_lock(file_.fd(), use_));
}

SpanLocks::Held::Held(SpanLocks& locks, const core::Extent& span, policy::Direction direction)
    : path_(locks.path_),
      threads_(locks.threads_),
      range_(locks.file_.fd(), span,
             direction == policy::Direction::write ? storage::RangeUse::write : storage::RangeUse::read) {}

core::Error SpanLocks::Held::error() const { return no_lock(path_, range_.error()); }

}  // namespace collio::engine
