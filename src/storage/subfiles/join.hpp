// Subfiles become one file again, in place of the placeholder, by several ranks at once.
//
// The placeholder's first lines go last, in one write of less than a page: until then the file is kept in its
// subfiles, whatever ends the job. The kernel copies where it can (copy_file_range(2): without a copy on file
// systems that share blocks, if the unit is a multiple of theirs); else bytes go through memory.
#pragma once

#include <cstdint>

#include "core/result.hpp"
#include "storage/subfiles/set.hpp"

namespace collio::storage {

/// Bytes by the way they took.
struct JoinTally {
  std::int64_t by_kernel = 0, through_memory = 0;
};

/// False: another program has joined the subfiles, or replaced their placeholder. Not collective.
[[nodiscard]] core::Result<bool> has_placeholder(const SubfileSet& set);

/// Not collective, none of them. The set is used by nobody else meanwhile (SetUse), and has `file_bytes`
/// bytes.
/// On one rank, before the parts.
[[nodiscard]] core::Error begin_join(const SubfileSet& set, std::int64_t file_bytes);
/// Every `step`-th piece of the work, on up to eight threads. Flushes what it copied.
[[nodiscard]] core::Error join_part(const SubfileSet& set, std::int64_t file_bytes, const SubfileShare& share,
                                    JoinTally& tally);
/// On one rank, when all parts are copied. Beyond this point the file is an ordinary one, unless there is an
/// error: then it is a placeholder.
[[nodiscard]] core::Error end_join(const SubfileSet& set, std::int64_t file_bytes);
/// On one rank, when none copies any more: gives back the room that a join has taken before it failed. `why`
/// gets it if that fails too.
void abandon_join(const SubfileSet& set, core::Error& why);

}  // namespace collio::storage
