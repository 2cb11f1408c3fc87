// The seam between collio and a file: everything above sees this interface only, so that a failing, slow or
// null storage can stand in for a file system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/extent.hpp"
#include "core/result.hpp"
#include "machine/machine.hpp"

namespace collio::storage {

/// What came of one read or write. `bytes` counts from the start of the request and is true also on error.
struct Transfer {
  std::int64_t bytes = 0;
  core::Error error;
};

/// An open file. Not collective. Calls may be made by any rank that opened it.
class Storage {
 public:
  virtual ~Storage() = default;
  /// Writes `extent.length` bytes at `extent.offset`; short writes are continued, EINTR repeated.
  virtual Transfer write(const core::Extent& extent, const std::byte* from) = 0;
  /// Reads; fewer bytes than asked for mean end of file, not an error.
  virtual Transfer read(const core::Extent& extent, std::byte* to) = 0;
  virtual core::Error sync() = 0;
};

enum class Access { read_only, write_only, read_write };

/// Opens an existing file with POSIX calls. Error classes follow errno.
[[nodiscard]] core::Result<std::unique_ptr<Storage>> open_posix(const std::string& path, Access access);

/// Constants of the file system `path` lies on, by its type.
[[nodiscard]] machine::StorageModel model_of(const std::string& path);

/// The error class of an errno value.
[[nodiscard]] core::ErrorClass class_of_errno(int error) noexcept;

}  // namespace collio::storage
