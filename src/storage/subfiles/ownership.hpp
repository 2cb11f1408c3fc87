// Whose a set of subfiles is. Programs copy, move, restore and link placeholders as they do other files, and
// empty them. The manifest names its placeholder by inode and time of birth, so these cases differ.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "core/result.hpp"
#include "storage/subfiles/set.hpp"

namespace collio::storage {

/// What a manifest knows its placeholder by.
struct FileMark {
  std::uint64_t inode = 0;
  /// in nanoseconds; 0: the file system does not say
  std::int64_t born = 0;
};
/// The mark of an open file, whose inode is known.
[[nodiscard]] FileMark mark_of(int fd, ino_t inode);

enum class Owner {
  /// the manifest names this placeholder
  own,
  /// it names another one in the same folder
  copy,
  /// it names none there, and the subfiles lie elsewhere: they may be another placeholder's
  unknown,
  /// it names none there: the file was moved or restored, or its original is gone
  moved
};
struct Standing {
  Owner owner = Owner::own;
  /// copy: path of the original; unknown: why
  std::string evidence = {};
};
/// O(1) for the manifest's own placeholder; else O(names in its folder).
[[nodiscard]] Standing standing_of(const SubfileSet& set, const FileMark& file);
/// May be written, joined, removed with its set.
[[nodiscard]] inline bool may_change(const Standing& standing) {
  return standing.owner == Owner::own || standing.owner == Owner::moved;
}
/// What a program that reads it should know; empty: nothing.
[[nodiscard]] std::string remark_on(const SubfileSet& set, const Standing& standing);
/// An error where it may not change.
[[nodiscard]] core::Error refusal_to_write(const SubfileSet& set, const Standing& standing);

/// Path of another file in the placeholder's folder that is a placeholder of the same set; empty: there is
/// none. O(names in the folder).
[[nodiscard]] core::Result<std::string> other_placeholder(const SubfileSet& set);
/// Whether the set stays when the name of its placeholder goes: it is another one's, or another leads to it.
[[nodiscard]] core::Result<bool> is_needed(const SubfileSet& set, const Standing& standing);

/// Whether the set's path is this file's, and its placeholder.
[[nodiscard]] bool is_led_to_by(const SubfileSet& set, const FileMark& file);

/// Removes the set of a placeholder that is gone, unless another one needs it.
[[nodiscard]] core::Error remove_with_last(const SubfileSet& set);

/// The set that an empty file was kept in.
struct FormerSet {
  SubfileSet set;
  /// Nobody has emptied the file since the manifest counted bytes of it: a loss of power took the
  /// placeholder.
  bool lost = false;
};
[[nodiscard]] std::optional<FormerSet> former_set(const std::string& path, const FileMark& file);
[[nodiscard]] std::string remark_on(const FormerSet& former);
/// Removes it, as nobody can reach it any more. It stays where it was lost, where another placeholder needs
/// it, and where a program has it open.
[[nodiscard]] core::Error remove_former(const FormerSet& former);

}  // namespace collio::storage
