// See elements.hpp.
#include "core/elements.hpp"

#include <algorithm>
#include <utility>

#include "core/reversed.hpp"

namespace collio::core {

namespace {

void reverse_alike(std::size_t element_bytes, std::span<std::byte> data) {
  const std::size_t count = data.size() / element_bytes;
  if (element_bytes == 1) return;
  if (element_bytes == 2 || element_bytes == 4 || element_bytes == 8)
    return turn_elements(data.data(), data.data(), static_cast<std::int64_t>(count * element_bytes),
                         static_cast<int>(element_bytes));
  for (std::size_t i = 0; i < count; ++i)
    std::ranges::reverse(data.subspan(i * element_bytes, element_bytes));
}

/// One row, or what there is of it.
void reverse_row(const Elements& row, std::span<std::byte> data) {
  if (row.element_bytes > 0) return reverse_alike(static_cast<std::size_t>(row.element_bytes), data);
  for (std::size_t i = 0; i < row.parts.size(); ++i)
    for (std::int64_t k = 0; k < row.counts[i] && !data.empty(); ++k) {
      const std::size_t bytes = std::min(data.size(), static_cast<std::size_t>(row.parts[i].bytes));
      reverse_row(row.parts[i], data.first(bytes));
      data = data.subspan(bytes);
    }
}

}  // namespace

Elements repeated(Elements row, std::int64_t count) {
  if (count <= 0 || row.bytes == 0) return {};
  if (count == 1) return row;
  Elements all{row.bytes * count, row.element_bytes, {}, {}};
  if (row.element_bytes > 0) return all;
  all.parts.push_back(std::move(row));
  all.counts.push_back(count);
  return all;
}

Elements joined(std::vector<Elements> rows) {
  std::erase_if(rows, [](const Elements& row) { return row.bytes == 0; });
  if (rows.empty()) return {};
  Elements all{0, rows.front().element_bytes, {}, {}};
  for (const Elements& row : rows) {
    all.bytes += row.bytes;
    if (row.element_bytes != all.element_bytes) all.element_bytes = 0;
  }
  if (all.element_bytes > 0) return all;
  all.counts.assign(rows.size(), 1);
  all.parts = std::move(rows);
  return all;
}

void reverse_elements(const Elements& row, std::span<std::byte> data) noexcept {
  if (row.bytes == 0) return;
  if (row.element_bytes > 0) return reverse_row(row, data);
  while (!data.empty()) {
    const std::size_t bytes = std::min(data.size(), static_cast<std::size_t>(row.bytes));
    reverse_row(row, data.first(bytes));
    data = data.subspan(bytes);
  }
}

}  // namespace collio::core
