// See array_layout.hpp.
#include "storage/subfiles/array_layout.hpp"

#include <algorithm>
#include <sstream>

namespace collio::storage {

SubfilePart ArrayLayout::first_part(const core::Extent& extent) const noexcept {
  const std::int64_t behind = extent.offset - fixed_bytes();
  if (row_unit_bytes == 0 || behind < 0) return fixed.first_part(extent);
  const std::int64_t stripe = behind / row_unit_bytes, inside = behind % row_unit_bytes;
  const std::int64_t file = stripe % fixed.count, record = stripe / fixed.count;
  const core::Extent& first = records[static_cast<std::size_t>(file)];
  if (inside >= first.length)
    return {SubfilePart::none, {0, std::min(extent.length, row_unit_bytes - inside)}};
  return {file,
          {first.offset + record * first.length + inside, std::min(extent.length, first.length - inside)}};
}

std::int64_t ArrayLayout::file_bytes(const SubfilePart& whole) const noexcept {
  const std::int64_t last = whole.extent.length - 1;
  if (row_unit_bytes == 0 || last < 0) return fixed.file_bytes(whole);
  const core::Extent& first = records[static_cast<std::size_t>(whole.subfile)];
  if (first.length == 0 || last < first.offset) return fixed.file_bytes(whole);
  const std::int64_t record = (last - first.offset) / first.length,
                     inside = (last - first.offset) % first.length;
  return fixed_bytes() + (record * fixed.count + whole.subfile) * row_unit_bytes + inside + 1;
}

std::optional<ArrayLayout> parse_array_layout(const std::string& text) {
  std::istringstream words(text);
  std::vector<std::int64_t> numbers;
  for (std::int64_t number = 0; words >> number;) numbers.push_back(number);
  if (!words.eof() || numbers.size() < 2 || numbers[0] < 1 || numbers[1] < 1) return {};
  ArrayLayout layout{{numbers[1], numbers[0]}, 0, {}};
  if (numbers.size() == 2) return layout;
  const auto behind = static_cast<std::int64_t>(numbers.size()) - 3;
  if (numbers[0] < 2 || numbers[2] < 1 || behind % 2 != 0 || behind / 2 != numbers[0]) return {};
  layout.row_unit_bytes = numbers[2];
  for (std::size_t i = 3; i < numbers.size(); i += 2) {
    if (numbers[i] < 0 || numbers[i + 1] < 0 || numbers[i + 1] > layout.row_unit_bytes) return {};
    layout.records.push_back({numbers[i], numbers[i + 1]});
  }
  return layout;
}

std::string text_of(const ArrayLayout& layout) {
  std::string text = std::to_string(layout.fixed.count) + " " + std::to_string(layout.fixed.unit_bytes);
  if (layout.row_unit_bytes == 0) return text;
  text += " " + std::to_string(layout.row_unit_bytes);
  for (const core::Extent& first : layout.records)
    text += " " + std::to_string(first.offset) + " " + std::to_string(first.length);
  return text;
}

}  // namespace collio::storage
