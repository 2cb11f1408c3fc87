// Small steps on files that subfiles need, as errors with the path and the errno.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "core/result.hpp"

namespace collio::storage {

/// "cannot WHAT PATH: ... (errno n)".
[[nodiscard]] core::Error errno_error(const std::string& what, const std::string& path, int error);

/// An open descriptor, closed with its owner.
class OpenedFile {
 public:
  OpenedFile(const std::string& path, int flags, mode_t mode = 0);
  ~OpenedFile();
  OpenedFile(const OpenedFile&) = delete;
  OpenedFile& operator=(const OpenedFile&) = delete;
  [[nodiscard]] int fd() const noexcept { return fd_; }
  /// errno of the open; 0: it is open.
  [[nodiscard]] int error() const noexcept { return error_; }

 private:
  int fd_, error_;
};

/// A whole file of at most 64 MiB.
[[nodiscard]] core::Result<std::string> read_text(const std::string& path);
/// Replaces a file as a whole: under a temporary name, flushed, renamed, and the folder flushed.
[[nodiscard]] core::Error replace_text(const std::string& path, const std::string& text);
/// What was written to an open file stays, whatever happens to the machine: errno or 0.
[[nodiscard]] int flush(int fd);
/// The same of the names in a folder. Some file systems flush no folders: no error.
[[nodiscard]] core::Error flush_folder(const std::string& folder);
/// Tells a file that was replaced or changed from the one before. Nothing: it is not there.
using FileStamp = std::optional<std::pair<ino_t, std::int64_t>>;
[[nodiscard]] FileStamp stamp_of(const std::string& path);
/// "/a" of "/a/b", "." of "b".
[[nodiscard]] std::string parent_folder(const std::string& path);
/// All bytes, at `offset`: errno or 0.
[[nodiscard]] int write_all_at(int fd, const std::string& text, off_t offset);
/// Up to text.size() bytes: errno or 0; the text is cut where the file ends.
[[nodiscard]] int read_all_at(int fd, std::string& text, off_t offset);

}  // namespace collio::storage
