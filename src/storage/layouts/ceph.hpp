// CephFS's layouts: the extended attribute ceph.file.layout, as text.
//
// "stripe_unit=4194304 stripe_count=1 object_size=4194304 pool=data" (Ceph's documentation, "File Layouts").
// Stripes are dealt to stripe_count objects until these have object_size bytes, then to the next ones.
// Objects lie on whatever target the placement's hash says.
#pragma once

#include <string>
#include <string_view>

#include "core/result.hpp"
#include "machine/layout.hpp"

namespace collio::storage {

inline constexpr const char* ceph_attribute = "ceph.file.layout";

/// With one object at a time the unit is the whole object, and nothing is dealt in turn. An error: corrupt.
/// Pure.
[[nodiscard]] core::Result<machine::Layout> parse_ceph(std::string_view value);

/// The attribute's value that asks for a layout on an empty file: objects hold whole stripes, of 4 MiB and
/// more. An error: not a unit that CephFS takes. Pure.
[[nodiscard]] core::Result<std::string> ceph_value(const machine::LayoutWish& wish);

}  // namespace collio::storage
