// Reads and writes by the caller itself. The other kinds of storage that move bytes are this one with another way to
// start a transfer.
#pragma once

#include <atomic>
#include <memory>

#include "storage/operation.hpp"

namespace collio::storage {

class PosixFile : public Storage {
 public:
  explicit PosixFile(Descriptors file) : file_(std::move(file)) {}
  Transfer write(const core::Extent& extent, const std::byte* from) override;
  Transfer read(const core::Extent& extent, std::byte* to) override;
  core::Error sync() override;
  [[nodiscard]] std::string remarks() const override;

 protected:
  [[nodiscard]] const Descriptors& file() const noexcept { return file_; }
  /// The outcome of a complete operation.
  Transfer concluded(Operation& operation) noexcept;

 private:
  Descriptors file_;
  std::atomic<bool> direct_refused_{false};
};

/// Opens an existing file with POSIX calls. Error classes follow errno.
[[nodiscard]] core::Result<std::unique_ptr<Storage>> open_posix(const std::string& path, Access access);

}  // namespace collio::storage
