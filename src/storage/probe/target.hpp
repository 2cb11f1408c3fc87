// A storage target as the probe sees it: a name, and a way to make a file there that nobody else sees.
//
// A target is a folder. On a file system that stripes its files it may be one server of many: then the caller
// gives a function that makes a file which lies on that server alone.
#pragma once

#include <functional>
#include <string>

#include "core/result.hpp"

namespace collio::storage::probe {

/// Owns a descriptor.
class OwnedFile {
 public:
  explicit OwnedFile(int fd = -1) noexcept : fd_(fd) {}
  OwnedFile(OwnedFile&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  OwnedFile& operator=(OwnedFile&&) = delete;
  ~OwnedFile();
  [[nodiscard]] int fd() const noexcept { return fd_; }

 private:
  int fd_;
};

/// Makes an empty file on a target, open for writing, without a name: it is gone when it is closed. Called by
/// a thread of the probe, once a sample, and must not use what may end before that thread: a target that does
/// not answer holds the thread. Thread-safe against calls for other targets.
using MakeFile = std::function<core::Result<OwnedFile>()>;

struct Target {
  /// in reports, and in the cache beside the folder
  std::string name;
  /// where the file is made
  std::string folder;
  /// empty: file_in_folder(folder)
  MakeFile make;
};

/// Unique on the machine, and among machines that share a folder.
[[nodiscard]] std::string temporary_name();

/// A file without a name (O_TMPFILE), or where the file system has none such, one whose name is removed right
/// after the open. Not collective. Errors: by errno, the message names no target.
[[nodiscard]] core::Result<OwnedFile> file_in_folder(const std::string& folder);

/// What makes the same target the same in another process: device, inode, path; the host where the file
/// system is not a shared one; and the name where `make` is given. Error: the folder is not there. Touches
/// the file system, so a thread that may be held should call it.
[[nodiscard]] core::Result<std::string> identity_of(const Target& target);

}  // namespace collio::storage::probe
