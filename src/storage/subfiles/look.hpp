// Whether a file is kept in subfiles, and the lock that tells that it is open.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "storage/range_lock.hpp"
#include "storage/subfiles/files.hpp"
#include "storage/subfiles/ownership.hpp"
#include "storage/subfiles/set.hpp"

namespace collio::storage {

/// Held while a set is in use: by all its opens, or by one that removes it. A lock of a byte far behind the
/// placeholder's end. On a file system whose locks do not reach other nodes it excludes those of its node.
class SetUse {
 public:
  enum class By {
    /// waits while one holds it alone
    many,
    /// the same, and may be Alone for a time
    many_once,
    /// does not wait: others may hold it
    one
  };
  SetUse(const std::string& path, By by);
  /// errno; 0: it is held. EAGAIN, EACCES: others hold it. A file system may have no locks.
  [[nodiscard]] int error() const noexcept { return file_.error() != 0 ? file_.error() : lock_.error(); }

  /// Whether somebody holds it, also where this process may not write the file. Does not wait.
  [[nodiscard]] static bool is_held(const std::string& path);

  /// A time in which nobody else holds it; others that come wait. Behind a SetLock: who makes a set has that
  /// when it asks for the use.
  class Alone {
   public:
    explicit Alone(SetUse& use)
        : use_(use), error_(use.error() != 0 ? use.error() : use.lock_.change(RangeUse::write)) {}
    ~Alone() {
      if (error_ == 0) use_.lock_.change(RangeUse::read);  // nobody is in the way
    }
    Alone(const Alone&) = delete;
    Alone& operator=(const Alone&) = delete;
    /// As SetUse::error().
    [[nodiscard]] int error() const noexcept { return error_; }

   private:
    SetUse& use_;
    const int error_;
  };

 private:
  OpenedFile file_;
  RangeLock lock_;
};

/// A file of the program's, before it is used.
struct FoundFile {
  bool empty = false;
  FileMark mark;
  nlink_t links = 1;
  mode_t mode = 0666;
  /// it is kept in these
  std::optional<SubfileSet> set;
  /// to the set
  Standing standing;
  /// of an empty file
  std::optional<FormerSet> former;
  std::vector<std::string> warnings;
  /// it cannot be used: its subfiles cannot, or nothing tells whether it has any
  core::Error error;
  /// of a set without error
  std::shared_ptr<SetUse> use;
  /// its own, where the one that was asked for is a symbolic link's
  std::string path;
};

/// Whether the last name of the path is a symbolic link's.
[[nodiscard]] bool is_link(const std::string& path);
/// O(1): reads the first bytes of the file, and the manifest if these are a placeholder's (where that names
/// another placeholder: O(names in the folder)). Waits while the
/// set is removed. A file that is not there is an ordinary one. Follows symbolic links: subfiles lie beside
/// the file itself.
[[nodiscard]] FoundFile look_for_subfiles(const std::string& path);

}  // namespace collio::storage
