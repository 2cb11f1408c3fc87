// How a file lies on its storage targets, asked of its file system; and how a new one shall lie.
//
// Each file system has its own way (a file of this folder for each). None of them is linked with: attributes,
// ioctls and statfs do.
#pragma once

#include <string>

#include "machine/layout.hpp"
#include "storage/same_file.hpp"

namespace collio::storage {

/// Of an existing file. Not known: `source` says why. For one rank: a metadata server answers. Not
/// collective.
[[nodiscard]] machine::Layout find_layout(const std::string& path);

/// What a file system told, without control bytes in `source`, and not known where stripes are longer than
/// 1 GiB. Pure.
[[nodiscard]] machine::Layout checked_layout(machine::Layout layout);

/// What became of a wish; nothing is lost where it was refused: the file system has chosen itself.
struct LayoutOutcome {
  bool set = false;
  /// empty: set, or there was nothing to do
  std::string why_not;
  /// device and inode of the file that was made; no inode: none was
  Holder made = {};
};

/// Makes the file with this layout, if there is none of the name, and closes it. Only on file systems that
/// take a layout; elsewhere nothing is made. Not collective.
[[nodiscard]] LayoutOutcome create_with_layout(const std::string& path, const machine::LayoutWish& wish);

/// Removes the file that was made, if it is still there and empty. Not collective.
void remove_made(const std::string& path, const Holder& made) noexcept;

/// Gives an existing file this layout, if it is empty and its file system allows that. Not collective.
[[nodiscard]] LayoutOutcome lay_out_empty_file(const std::string& path, const machine::LayoutWish& wish);

/// Whether the file's folder sets a layout for new files; true also where the file system does not say. Not
/// collective.
[[nodiscard]] bool folder_has_layout(const std::string& path);

}  // namespace collio::storage
