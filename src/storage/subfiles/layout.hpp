// Where the bytes of a file lie when it is kept in several subfiles.
//
// The file's byte stream is dealt in stripes of `unit_bytes`: stripe s goes to subfile s mod count and is
// stripe s / count there, as parallel file systems deal a file over their targets. Everything follows from
// that by arithmetic: no table, whatever the number of stripes. Where targets turn slow while the file is
// written, the stripes from some point on are dealt to other subfiles (Deal); the earlier ones stay. The
// bandwidth of several targets through subfiles: Byna et al.'s (2017) and Son et al.'s (2016)
// subfiling (docs/design/subfiles.md); there a subfile holds a part of an array, here of the byte stream, so
// any MPI-IO program can use them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "core/extent.hpp"
#include "storage/subfile_format/layout.h"

namespace collio::storage {

/// Bytes of one subfile: `extent.offset` counts in the subfile.
struct SubfilePart {
  /// no subfile has the bytes
  static constexpr std::int64_t none = -1;
  std::int64_t subfile = 0;
  core::Extent extent;
  friend constexpr bool operator==(const SubfilePart&, const SubfilePart&) = default;
};

/// From stripe `first` on, stripes go to these subfiles in turn.
struct Deal {
  std::int64_t first = 0;
  /// ascending
  std::vector<std::int64_t> members;
};

/// Deals in the order of the file, as the format has them.
class Deals {
 public:
  Deals() = default;
  Deals(std::initializer_list<Deal> deals);
  explicit Deals(const collio_subfile_layout& layout);

  [[nodiscard]] bool empty() const noexcept { return begins_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return begins_.size(); }
  /// The last one; there is one.
  [[nodiscard]] Deal back() const;
  void push_back(const Deal& deal);
  void pop_back();
  /// As collio_subfile_layout::deals.
  [[nodiscard]] const std::vector<std::int64_t>& numbers() const noexcept { return numbers_; }

  friend bool operator==(const Deals&, const Deals&) = default;

 private:
  std::vector<std::int64_t> numbers_;
  /// of each deal in numbers_
  std::vector<std::size_t> begins_;
};

/// Pure. Offsets and lengths are in bytes, and not negative. Every function costs O(deals * log(count)).
struct SubfileLayout {
  /// at least 1
  std::int64_t unit_bytes = 1 << 20;
  /// at least 1
  std::int64_t count = 1;
  /// before the first of them all subfiles take turns
  Deals deals = {};

  /// The part of `extent` that its first byte is in: up to the end of the stripe.
  [[nodiscard]] SubfilePart first_part(const core::Extent& extent) const noexcept {
    const collio_subfile_layout layout = format();
    const collio_place place = collio_place_of(&layout, extent.offset, extent.length);
    return {place.subfile, {place.offset, place.bytes}};
  }
  /// The stripe of the file that is stripe `row` of a subfile; -1: the subfile is dealt fewer.
  [[nodiscard]] std::int64_t stripe_at(std::int64_t subfile, std::int64_t row) const noexcept {
    const collio_subfile_layout layout = format();
    return collio_stripe_at(&layout, subfile, row);
  }
  /// Bytes of each subfile when the file has `file_bytes`; this layout outlives what is returned.
  [[nodiscard]] auto shares(std::int64_t file_bytes) const noexcept {
    return [layout = format(), file_bytes](std::int64_t subfile) {
      return collio_share(&layout, subfile, file_bytes);
    };
  }
  /// Length of a file whose last byte is the last byte of the part, which begins at 0 of its subfile. Bytes
  /// behind the last stripe that the subfile is dealt do not count.
  [[nodiscard]] std::int64_t file_bytes(const SubfilePart& whole) const noexcept {
    const collio_subfile_layout layout = format();
    return collio_length_by(&layout, whole.subfile, whole.extent.length);
  }
  /// The subfiles that the last stripes go to.
  [[nodiscard]] std::int64_t members_at_end() const noexcept {
    const collio_subfile_layout layout = format();
    return collio_members_at_end(&layout);
  }
  /// The same for the format's functions, while this one stays as it is.
  [[nodiscard]] collio_subfile_layout format() const noexcept {
    return {unit_bytes, count, deals.numbers().data(), static_cast<std::int64_t>(deals.size())};
  }

  friend bool operator==(const SubfileLayout&, const SubfileLayout&) = default;
};

/// Calls each(part, position in the extent) for the parts of an extent, in the order of the file. `layout`: a
/// SubfileLayout or an ArrayLayout. O(stripes).
template <class Layout, class Each>
void for_each_part(const Layout& layout, const core::Extent& extent, Each&& each) {
  for (std::int64_t position = 0; position < extent.length;) {
    const SubfilePart part = layout.first_part({extent.offset + position, extent.length - position});
    each(part, position);
    position += part.extent.length;
  }
}

}  // namespace collio::storage
