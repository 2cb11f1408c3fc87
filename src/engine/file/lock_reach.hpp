// Whether a lock that one node holds on a file stops other nodes. On some mounts it stays on its node: Lustre
// with localflock, NFS with local_lock, BeeGFS without tuneUseGlobalFileLocks, most FUSE file systems.
#pragma once

#include <string>

namespace collio::engine {

class Ranks;

/// Rank 0 locks a byte far beyond the end of the file at `path`, and the first rank of another node tries
/// the same. `flags`: of open(2), for writing. False also where that cannot be tried. True on one node.
/// Inside a visit. Collective.
[[nodiscard]] bool locks_reach_other_nodes(const Ranks& ranks, const std::string& path, int flags);

}  // namespace collio::engine
