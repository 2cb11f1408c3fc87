// See posix.hpp.
#include "storage/posix.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace collio::storage {

Transfer PosixFile::write(const core::Extent& extent, const std::byte* from) {
  Operation o = Operation::writing(extent, from);
  o.run(file_);
  return concluded(o);
}

Transfer PosixFile::read(const core::Extent& extent, std::byte* to) {
  Operation o = Operation::reading(extent, to);
  o.run(file_);
  return concluded(o);
}

Transfer PosixFile::concluded(Operation& operation) noexcept {
  if (operation.direct_refused()) direct_refused_ = true;
  return operation.take();
}

core::Error PosixFile::sync() {
  const int error = make_call(file_.drill(), policy::FaultPoint::sync, [this] { return ::fsync(file_.buffered()) == 0 ? 0 : errno; });
  if (error == 0) return {};
  return {class_of_errno(error), "fsync " + file_.path() + ": " + std::strerror(error) + " (errno " + std::to_string(error) + ")"};
}

std::string PosixFile::remarks() const {
  const std::string faults = file_.drill() ? file_.drill()->remarks() : "";
  const std::string direct = direct_refused_ ? "O_DIRECT calls were refused with EINVAL; their bytes went through the page cache" : file_.no_direct();
  return faults + (faults.empty() || direct.empty() ? "" : "; ") + direct;
}

core::Result<std::unique_ptr<Storage>> open_posix(const std::string& path, Access access) {
  auto file = Descriptors::open(path, access, false);
  if (!file.ok()) return file.error();
  return std::unique_ptr<Storage>(std::make_unique<PosixFile>(std::move(file.value())));
}

}  // namespace collio::storage
