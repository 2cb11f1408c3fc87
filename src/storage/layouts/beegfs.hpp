// BeeGFS's layouts: an ioctl on an open file.
//
// BEEGFS_IOC_GET_STRIPEINFO is _IOR('f', 25, struct BeegfsIoctl_GetStripeInfo_Arg) in the client's public
// header beegfs/beegfs_ioctl_functions.h: pattern type, chunk length, number of targets.
#pragma once

#include <cstddef>
#include <span>

#include "core/result.hpp"
#include "machine/layout.hpp"

namespace collio::storage {

/// BeegfsIoctl_GetStripeInfo_Arg: u32 pattern, u32 chunk bytes, u16 targets, and 2 bytes to align it.
inline constexpr std::size_t beegfs_answer_bytes = 12;

/// The layout in the ioctl's answer, in the machine's byte order. An error: corrupt, or no stripes. Pure.
[[nodiscard]] core::Result<machine::Layout> parse_beegfs(std::span<const std::byte> answer);

/// Asks the file system. Not collective.
[[nodiscard]] core::Result<machine::Layout> ask_beegfs(int file);

}  // namespace collio::storage
