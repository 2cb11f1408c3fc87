// Small pieces written by stores to a mapping of the file.
//
// A file with holes between pieces of a few bytes costs a system call for each piece, or a read and a write
// of everything, which undoes what others write into the holes meanwhile. A store to a shared mapping changes
// the piece's bytes alone, at the cost of a page fault per page. That holds where all writers of the file
// share its pages: on local file systems. Clients of a network file system send whole pages.
#pragma once

#include "storage/piece_write.hpp"

namespace collio::storage {

/// Whether the file lies where stores to a mapping and writes by others never undo each other.
[[nodiscard]] bool may_store_mapped(int fd) noexcept;

/// True where faults of the span's pages cost less than a call for each piece.
[[nodiscard]] bool mapping_pays(const PieceWrite& what) noexcept;

/// Writes the pieces. `fd` is open for reading and writing. False: it cannot be done, by the kernel (before
/// Linux 5.14) or for want of space; some pieces may have been written, and calls that write them one by one
/// find the error.
[[nodiscard]] bool store_mapped(int fd, const PieceWrite& what) noexcept;

}  // namespace collio::storage
