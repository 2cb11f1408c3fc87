// Locks of one object of a file: the bytes that it has on one target. As Lustre grants them (its
// ldlm_extent.c), a lock is an extent of the object. It grows as far as other nodes' locks let it, so a node
// that goes on behind its last write needs no other.
#pragma once

#include <cstdint>
#include <map>

#include "core/extent.hpp"

namespace collio::simulate {

class ObjectLocks {
 public:
  /// Locks of other nodes that a node's write of these bytes of the object cuts: 0 where it has the lock, or
  /// nobody has. A node whose lock is cut keeps the side that it wrote last. It will ask for the bytes behind
  /// its last write, so what lies between two goes to the lower one. O(log locks).
  int write(int node, const core::Extent& bytes);
  [[nodiscard]] std::size_t locks() const noexcept { return held_.size(); }

 private:
  struct Lock {
    std::int64_t end = 0;
    int node = 0;
    /// where the last write under it began
    std::int64_t written = 0;
  };
  /// by where they begin; no two overlap
  std::map<std::int64_t, Lock> held_;
};

}  // namespace collio::simulate
