// Small pieces written through a mapping of the file.
//
// A file with holes between pieces of a few bytes costs a system call for each piece, or a read and a write
// of everything, which undoes what others write into the holes meanwhile. A copy into a shared mapping
// changes the piece's bytes alone, at the cost of a page fault per page. That holds where all writers of the
// file share its pages: on local file systems. Clients of a network file system send whole pages.
//
// A store to a page that is gone, as the file was truncated or the disk is full, is no SIGBUS
// (guarded_stores.hpp).
#pragma once

#include "storage/piece_write.hpp"

namespace collio::storage {

enum class Mapping {
  /// stores to a mapping and writes by others may undo each other
  none,
  /// they never do
  free,
  /// they never do once a write of this process has ended that began after the file was long enough
  behind_call
};

/// Of the file system. Where one has blocks, a write that makes the file longer zeroes the rest of the old
/// last block after the new length can be seen (Linux 6.18: ext4_da_write_end()), and with it what was stored
/// there meanwhile. Writes wait for each other, so one that ends has that behind it.
[[nodiscard]] Mapping mapping_of(int fd) noexcept;

/// True where faults of the span's pages cost less than a call for each piece.
[[nodiscard]] bool mapping_pays(const PieceWrite& what) noexcept;

/// Writes the pieces. `fd` is open for reading and writing, `mapping` its file's, not none. False: it cannot
/// be done, by the kernel (before Linux 5.14), for want of space or as others truncate the file; some pieces
/// may have been written, and calls that write them one by one find the error.
[[nodiscard]] bool store_mapped(int fd, Mapping mapping, const PieceWrite& what) noexcept;

}  // namespace collio::storage
