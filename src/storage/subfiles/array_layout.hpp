// Where the bytes of a master and its array subfiles lie when all of these files are one to the engine.
//
// Each file has one stripe of `fixed.unit_bytes` for what comes before its records. Behind these stripes lie
// rows, one for each record. In a row each file has a stripe of `row_unit_bytes` with its bytes of the
// record. So a record's data lie together, and any number of records may follow
// (docs/design/array-subfiles.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/extent.hpp"
#include "storage/subfiles/layout.hpp"

namespace collio::storage {

/// Pure. Offsets and lengths are in bytes, and not negative.
struct ArrayLayout {
  /// `count`: of all files, the master included
  SubfileLayout fixed;
  /// 0: there are no records
  std::int64_t row_unit_bytes = 0;
  /// of each file: where its first record lies
  std::vector<core::Extent> records;

  /// The part of `extent` that its first byte is in. Subfile SubfilePart::none: no file has these bytes.
  /// O(1).
  [[nodiscard]] SubfilePart first_part(const core::Extent& extent) const noexcept;
  /// Length of all files together, if a file's last byte is the last byte of the part, which begins at 0.
  /// O(1).
  [[nodiscard]] std::int64_t file_bytes(const SubfilePart& whole) const noexcept;
  /// Stripes by which file domains may begin.
  [[nodiscard]] std::int64_t stripe_bytes() const noexcept {
    return row_unit_bytes > 0 ? row_unit_bytes : fixed.unit_bytes;
  }

 private:
  /// Where rows begin.
  [[nodiscard]] std::int64_t fixed_bytes() const noexcept { return fixed.count * fixed.unit_bytes; }
};

/// "COUNT UNIT", or "COUNT UNIT ROW_UNIT" and offset and length of each file's first record, by spaces. The
/// Python library writes such texts (python/collio/library/arrays/layouts.py). Nothing where a text is none.
[[nodiscard]] std::optional<ArrayLayout> parse_array_layout(const std::string& text);
[[nodiscard]] std::string text_of(const ArrayLayout& layout);

}  // namespace collio::storage
