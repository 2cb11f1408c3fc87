// Where the bytes of a file lie when it is kept in several subfiles.
//
// The file's byte stream is dealt in stripes of `unit_bytes`: stripe s goes to subfile s mod count and is
// stripe s / count there, as parallel file systems deal a file over their targets. Everything follows from
// that by arithmetic: no table, whatever the number of stripes. The bandwidth of several targets through
// subfiles: Byna et al.'s and Kang et al.'s subfiling (docs/design/subfiles.md); there a subfile holds a part
// of an array, here of the byte stream, so any MPI-IO program can use them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/extent.hpp"

namespace collio::storage {

/// Bytes of one subfile: `extent.offset` counts in the subfile.
struct SubfilePart {
  static constexpr std::int64_t none = -1;  ///< no subfile has the bytes
  std::int64_t subfile = 0;
  core::Extent extent;
  friend constexpr bool operator==(const SubfilePart&, const SubfilePart&) = default;
};

/// Pure. Offsets and lengths are in bytes, and not negative.
struct SubfileLayout {
  std::int64_t unit_bytes = 1 << 20;  ///< at least 1
  std::int64_t count = 1;             ///< at least 1

  /// The part of `extent` that its first byte is in: up to the end of the stripe. O(1).
  [[nodiscard]] constexpr SubfilePart first_part(const core::Extent& extent) const noexcept {
    const std::int64_t stripe = extent.offset / unit_bytes, inside = extent.offset % unit_bytes;
    if (count == 1) return {0, extent};
    return {stripe % count,
            {stripe / count * unit_bytes + inside, std::min(extent.length, unit_bytes - inside)}};
  }

  /// Bytes of each subfile when the file has `file_bytes`. O(1) for one.
  [[nodiscard]] constexpr auto shares(std::int64_t file_bytes) const noexcept {
    return [whole = file_bytes / unit_bytes, rest = file_bytes % unit_bytes, *this](std::int64_t subfile) {
      const std::int64_t stripes = whole / count + (subfile < whole % count ? 1 : 0);
      return stripes * unit_bytes + (subfile == whole % count ? rest : 0);
    };
  }

  /// Length of a file whose last byte is the last byte of the part, which begins at 0 of its subfile. O(1).
  [[nodiscard]] constexpr std::int64_t file_bytes(const SubfilePart& whole) const noexcept {
    if (whole.extent.length == 0) return 0;
    const std::int64_t last = whole.extent.length - 1;
    return (last / unit_bytes * count + whole.subfile) * unit_bytes + last % unit_bytes + 1;
  }
};

/// Calls each(part, position in the extent) for the parts of an extent, in the order of the file. `layout`: a
/// SubfileLayout or an ArrayLayout. O(stripes).
template <class Layout, class Each>
constexpr void for_each_part(const Layout& layout, const core::Extent& extent, Each&& each) {
  for (std::int64_t position = 0; position < extent.length;) {
    const SubfilePart part = layout.first_part({extent.offset + position, extent.length - position});
    each(part, position);
    position += part.extent.length;
  }
}

}  // namespace collio::storage
