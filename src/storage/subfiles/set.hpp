// The subfiles of one file, as one process reaches them: their paths, and what is done to all of them at
// once. Work on many subfiles is shared out: each rank takes every n-th. None of these is collective.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "core/result.hpp"
#include "storage/range_lock.hpp"
#include "storage/subfiles/array_layout.hpp"
#include "storage/subfiles/files.hpp"
#include "storage/subfiles/manifest.hpp"

namespace collio::storage {

class SubfileSet {
 public:
  /// `path`: of the placeholder; `folder`: its manifest's, beside it.
  SubfileSet(std::string path, std::string folder, Manifest manifest);
  /// A master file and its array subfiles, which have no manifest: `layout.fixed.count` - 1 files named as
  /// PnetCDF names them, then the master.
  [[nodiscard]] static SubfileSet of_arrays(std::string master, ArrayLayout layout);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const std::string& folder_name() const noexcept { return folder_; }
  [[nodiscard]] std::string folder() const;
  [[nodiscard]] std::string manifest_path() const { return folder() + "/manifest"; }
  [[nodiscard]] std::string folder_of_subfile(std::int64_t subfile) const;
  [[nodiscard]] std::string subfile_path(std::int64_t subfile) const;
  [[nodiscard]] Placeholder placeholder() const { return {manifest_.identity, folder_}; }
  [[nodiscard]] const Manifest& manifest() const noexcept { return manifest_; }
  [[nodiscard]] Manifest& manifest() noexcept { return manifest_; }
  [[nodiscard]] const SubfileLayout& layout() const noexcept { return manifest_.layout; }
  /// Where the file ends for who reads it, though its subfiles go on: behind it bytes are missing.
  void end_at(std::int64_t bytes) noexcept { end_ = bytes; }
  [[nodiscard]] std::int64_t end() const noexcept { return end_; }
  [[nodiscard]] bool has_arrays() const noexcept { return arrays_ != nullptr; }
  /// Of array subfiles; null: the set has none.
  [[nodiscard]] const ArrayLayout* arrays() const noexcept { return arrays_.get(); }
  /// Calls each(part, position in the extent), as storage::for_each_part().
  template <class Each>
  void for_each_part(const core::Extent& extent, Each&& each) const {
    if (arrays_)
      storage::for_each_part(*arrays_, extent, each);
    else
      storage::for_each_part(layout(), extent, each);
  }
  /// Length of the file whose last byte is the last byte of the part, which begins at 0 of its subfile.
  [[nodiscard]] std::int64_t file_bytes(const SubfilePart& whole) const noexcept {
    return arrays_ ? arrays_->file_bytes(whole) : layout().file_bytes(whole);
  }

 private:
  std::string path_, folder_;
  std::shared_ptr<const ArrayLayout> arrays_;
  Manifest manifest_;
  std::int64_t end_ = std::numeric_limits<std::int64_t>::max();
};

/// Every `step`-th subfile, from `first` on.
struct SubfileShare {
  std::int64_t first = 0, step = 1;
};

/// Held while the set of a file is made, or its manifest changed: a file may be opened by several
/// communicators at the same time. A lock of a byte far behind the placeholder's end.
class SetLock {
 public:
  /// Waits for it. `path`: of the placeholder, or of the empty file that becomes one.
  explicit SetLock(const std::string& path);
  /// errno; 0: it is held. A file system may have no locks.
  [[nodiscard]] int error() const noexcept { return file_.error() != 0 ? file_.error() : lock_.error(); }

 private:
  OpenedFile file_;
  RangeLock lock_;
};

/// Makes the folder of the manifest and writes this as being in use. A folder that another set has is left
/// alone and another name taken.
[[nodiscard]] core::Error make_folder(SubfileSet& set);
[[nodiscard]] core::Error create_subfiles(const SubfileSet& set, const SubfileShare& share, mode_t mode);
/// Makes the file a placeholder: from now on its bytes are the subfiles'. Flushes it: no manifest counts
/// bytes that only an unflushed placeholder leads to.
[[nodiscard]] core::Error write_placeholder(const SubfileSet& set);
/// Replaces the manifest as a whole.
[[nodiscard]] core::Error write_manifest(const SubfileSet& set);
/// Reads it again: another program may have changed it. Another identity is an error.
[[nodiscard]] core::Error reread_manifest(SubfileSet& set);

/// What there is of the manifest's bytes.
struct Presence {
  /// no byte before this one is missing; -1: a subfile is
  std::int64_t whole_bytes = 0;
  /// why that is less than the manifest says
  core::Error lack;
};
/// Whether each is there and has its share of the manifest's bytes.
[[nodiscard]] Presence check_subfiles(const SubfileSet& set, const SubfileShare& share);
/// Length of the file by these subfiles. Ends early when it is `enough`.
[[nodiscard]] core::Result<std::int64_t> length_by(
    const SubfileSet& set, const SubfileShare& share,
    std::int64_t enough = std::numeric_limits<std::int64_t>::max());

enum class Resize {
  /// longer subfiles stay; for who writes alone
  grow,
  /// longer subfiles are cut
  to,
  /// longer ones stay, and disk space is there for the bytes
  allocate
};
/// Each subfile's length for a file of `file_bytes`.
[[nodiscard]] core::Error resize_subfiles(const SubfileSet& set, const SubfileShare& share,
                                          std::int64_t file_bytes, Resize how);

enum class Flush { no, yes };
/// Gives each subfile its share of a file of `file_bytes` at least, and never cuts one, whoever writes to it
/// meanwhile. Bytes of a file whose shares they have afterwards: fewer where the file system has no way to
/// do that. `flush`: and what was written to them stays.
[[nodiscard]] core::Result<std::int64_t> grow_subfiles(const SubfileSet& set, const SubfileShare& share,
                                                       std::int64_t file_bytes, Flush flush);
/// The names of the placeholder, the manifest and the subfiles stay.
[[nodiscard]] core::Error flush_names(const SubfileSet& set, const SubfileShare& share);
/// Before the subfiles of a file that is to be deleted go: no placeholder leads to subfiles that are gone.
/// Flushes it.
[[nodiscard]] core::Error empty_placeholder(const SubfileSet& set);
/// A subfile that is not there is no error.
[[nodiscard]] core::Error remove_subfiles(const SubfileSet& set, const SubfileShare& share);
/// The manifest and its folder, unless files lie there that are not collio's; the subfiles are gone before.
[[nodiscard]] core::Error remove_folder(const SubfileSet& set);

}  // namespace collio::storage
