// Placeholders and manifests (storage/subfile_format/manifest.h) as values of the engine.
//
// The placeholder names the folder and an identity. A file of that name which is none (emptied, replaced,
// joined) is an ordinary file, whatever lies beside it. The manifest is replaced as a whole (temporary name,
// fsync, rename, fsync of the folder), so a crash leaves the one before or the one after.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "storage/subfiles/layout.hpp"

namespace collio::storage {

struct Manifest {
  /// the same as the placeholder's
  std::uint64_t identity = 0;
  /// closed by all its writers; else being written, or its writer ended early
  bool complete = false;
  /// of the names of the subfiles
  std::string base;
  /// of the placeholder when it was made
  std::uint64_t inode = 0;
  /// when that inode was made, in ns; 0: unknown. Numbers of inodes come again
  std::int64_t born = 0;
  SubfileLayout layout;
  /// dealt to the subfiles in turn; relative ones begin at the manifest's
  std::vector<std::string> folders{"."};
  /// when it was last closed or flushed; each subfile has its share of them at least
  std::int64_t file_bytes = 0;
  /// of these when MPI_File_sync last flushed it: they survive a loss of power
  std::int64_t synced_bytes = 0;

  friend bool operator==(const Manifest&, const Manifest&);
};

[[nodiscard]] std::string text_of(const Manifest& manifest);
/// In its folder.
[[nodiscard]] std::string subfile_name(const Manifest& manifest, std::int64_t subfile);
/// Error bad_file, with `path` and the reason: the text is no manifest, is damaged, or is of another version.
[[nodiscard]] core::Result<Manifest> parse_manifest(std::string_view text, const std::string& path);

/// What a placeholder says.
struct Placeholder {
  std::uint64_t identity = 0;
  /// a name, without slashes, beside the placeholder
  std::string folder;

  /// The lines that make a file a placeholder: those that a join replaces last.
  [[nodiscard]] std::string head() const;
  /// The whole text, with a word for people.
  [[nodiscard]] std::string text() const;
};

/// Nothing: a file that begins so is no placeholder. Error bad_file: it is one of another version, or a
/// damaged one.
[[nodiscard]] core::Result<std::optional<Placeholder>> parse_placeholder(std::string_view begin,
                                                                         const std::string& path);

/// What the names of a file's subfiles and of their folder begin with: the file's name, or so much of it that
/// these are no longer than names may be, and a sum of all of it.
[[nodiscard]] std::string name_for_set(const std::string& name);

/// 16 hexadecimal digits.
[[nodiscard]] std::string hex_text(std::uint64_t number);

}  // namespace collio::storage
