// Layouts of the lab's striped file system (lab/striped): the extended attribute user.collio.layout, as text.
//
// "unit=1048576 targets=2,3,0,1". To set one, "count=4" may stand in place of "targets=": the file system
// then chooses which.
#pragma once

#include <string>
#include <string_view>

#include "core/result.hpp"
#include "machine/layout.hpp"

namespace collio::storage {

inline constexpr const char* lab_attribute = "user.collio.layout";

/// An error: corrupt. Pure.
[[nodiscard]] core::Result<machine::Layout> parse_lab(std::string_view value);

/// The attribute's value that asks for a layout on an empty file. Pure.
[[nodiscard]] std::string lab_value(const machine::LayoutWish& wish);

}  // namespace collio::storage
