// GPFS (IBM Storage Scale): its block is what is striped and what its tokens lock. statfs(2) tells its
// length; which disks have it is known to the file system alone.
#pragma once

#include "core/result.hpp"
#include "machine/layout.hpp"

namespace collio::storage {

/// `block_bytes`: statfs' f_bsize. An error: none that GPFS has (64 KiB to 16 MiB, a power of two). Pure.
[[nodiscard]] inline core::Result<machine::Layout> gpfs_layout(std::int64_t block_bytes) {
  const bool power = block_bytes > 0 && (block_bytes & (block_bytes - 1)) == 0;
  if (!power || block_bytes < (64 << 10) || block_bytes > (16 << 20))
    return core::Error{core::ErrorClass::other,
                       "statfs: a block of " + std::to_string(block_bytes) + " bytes is not a block of GPFS"};
  machine::Layout layout;
  layout.unit_bytes = block_bytes;
  layout.source = "statfs, GPFS block";
  return layout;
}

}  // namespace collio::storage
