// See lab.hpp.
#include "storage/layouts/lab.hpp"

#include "storage/layouts/words.hpp"

namespace collio::storage {

namespace {

constexpr std::int64_t most_targets = 1024;

core::Error wrong_text(std::string_view value) {
  return {core::ErrorClass::other,
          "user.collio.layout: not a layout: '" + std::string(value.substr(0, 200)) + "'"};
}

}  // namespace

core::Result<machine::Layout> parse_lab(std::string_view value) {
  const auto unit = number_of(value, "unit");
  const auto targets = word_of(value, "targets");
  if (!unit || *unit < 1 || !targets) return wrong_text(value);
  machine::Layout layout;
  layout.unit_bytes = *unit;
  layout.source = lab_attribute;
  std::string_view rest = *targets;
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    const auto target = whole_number(rest.substr(0, comma));
    if (!target || *target < 0 || *target >= most_targets) return wrong_text(value);
    layout.targets.push_back(static_cast<int>(*target));
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
  }
  layout.count = static_cast<int>(layout.targets.size());
  return layout;
}

std::string lab_value(const machine::LayoutWish& wish) {
  std::string value;
  if (wish.unit_bytes > 0) value = "unit=" + std::to_string(wish.unit_bytes);
  if (!value.empty() && wish.count > 0) value += ' ';
  if (wish.count > 0 && wish.targets.empty()) return value + "count=" + std::to_string(wish.count);
  for (const int target : wish.targets)
    value += (target == wish.targets.front() ? "targets=" : ",") + std::to_string(target);
  return value;
}

}  // namespace collio::storage
