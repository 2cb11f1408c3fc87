// Whether two ranks have the same file open, and how to get it from a rank that has.
//
// A file may lose its name while it is open, and another file may have the name then. So a rank that opens it
// late compares device and inode with those of the first to open it, and where they differ goes through that
// process's descriptor, as /proc shows it.
#pragma once

#include <cstdint>
#include <string>

namespace collio::storage {

/// A file that a process has open. Plain numbers, so that it can be sent.
struct Holder {
  std::int64_t device = 0, inode = 0;
  /// 0: one of another node, where the device has another number
  std::int64_t process = 0;
  std::int64_t descriptor = -1;

  /// This process, with `fd`. No inode if there is none.
  [[nodiscard]] static Holder with(int fd) noexcept;
  /// Whether `fd` is the same file. Not collective.
  [[nodiscard]] bool holds(int fd) const noexcept;
  /// Path by which processes of the node can open the file, if the holder's user is theirs.
  [[nodiscard]] std::string path() const;
};

}  // namespace collio::storage
