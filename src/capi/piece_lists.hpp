// Lists of pieces in a file and in memory, as the direct calls of collio.h have them.
#pragma once

#include "capi/library.h"
#include "core/piece_map.hpp"
#include "core/result.hpp"

namespace collio::capi {

struct PieceLists {
  const collio_pieces* file;
  const void* memory;
  /// relative to `memory`; null: one piece
  const collio_pieces* in_memory;
};

/// Which memory goes to which place of the file; memory as addresses. Error `argument`: an offset or length
/// is negative, or the two lists differ in bytes. O(pieces), and a sort where they do not ascend in the file.
[[nodiscard]] core::Result<core::PieceMap> map_of(const PieceLists& lists);

}  // namespace collio::capi
