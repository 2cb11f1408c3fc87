// Lustre's layouts: the extended attribute lustre.lov, a struct lov_user_md.
//
// Read and written as bytes, so that nothing of Lustre is needed to build. Field offsets and constants are
// those of lustre/include/uapi/linux/lustre/lustre_user.h (lov_user_md_v1, lov_user_md_v3, lov_comp_md_v1).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/result.hpp"
#include "machine/layout.hpp"

namespace collio::storage {

inline constexpr const char* lustre_attribute = "lustre.lov";

/// The layout in the attribute's value. Of a composite layout the last component of the first mirror that is
/// not stale: the one that a growing file gets to. An error: truncated, corrupt, or of a kind without
/// stripes. Pure.
[[nodiscard]] core::Result<machine::Layout> parse_lustre(std::span<const std::byte> value);

/// The attribute's value that asks for a layout on a file without objects: lov_user_md_v1, on any targets;
/// with a list of targets a lov_user_md_v3 of the kind LOV_USER_MAGIC_SPECIFIC, with a lov_user_ost_data_v1
/// for each. An error: more targets than the value has room for. Pure.
[[nodiscard]] core::Result<std::vector<std::byte>> lustre_value(const machine::LayoutWish& wish);

/// Flag of open(2) on Lustre: the file gets no objects until its layout is set, or it is written
/// (O_LOV_DELAY_CREATE).
inline constexpr int lustre_delay_create = 0100000000 | 0000400 | 020000;

}  // namespace collio::storage
