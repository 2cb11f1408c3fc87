// See object_locks.hpp.
#include "simulate/object_locks.hpp"

#include <iterator>
#include <limits>

namespace collio::simulate {

int ObjectLocks::write(int node, const core::Extent& bytes) {
  auto at = held_.upper_bound(bytes.offset);
  if (at != held_.begin() && std::prev(at)->second.end > bytes.offset) --at;
  if (at != held_.end() && at->first <= bytes.offset && at->second.node == node &&
      at->second.end >= bytes.end()) {
    at->second.written = bytes.offset;
    return 0;
  }
  int cut = 0;
  while (at != held_.end() && at->first < bytes.end()) {
    const auto [begin, old] = *at;
    at = held_.erase(at);
    if (old.node == node) continue;
    ++cut;
    if (begin < bytes.offset && old.written < bytes.offset)
      held_[begin] = {bytes.offset, old.node, old.written};
    else if (old.written >= bytes.end())
      held_[old.written] = {old.end, old.node, old.written};
  }
  const auto behind = held_.lower_bound(bytes.end());
  const std::int64_t begin = behind == held_.begin() ? 0 : std::prev(behind)->second.end;
  const std::int64_t end = behind == held_.end() ? std::numeric_limits<std::int64_t>::max() : behind->first;
  held_[begin] = {end, node, bytes.offset};
  return cut;
}

}  // namespace collio::simulate
