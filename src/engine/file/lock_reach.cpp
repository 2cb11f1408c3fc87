// See lock_reach.hpp.
#include "engine/file/lock_reach.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <random>

#include "engine/file/file.hpp"
#include "storage/range_lock.hpp"
#include "storage/subfiles/files.hpp"
#include "transport/waiting/collectives.hpp"

namespace collio::engine {

namespace {

class Attempt {
 public:
  Attempt(const std::string& path, int flags, std::int64_t byte)
      : file_(path, flags, 0666),
        lock_(storage::RangeLock::at_once(file_.fd(), {byte, 1}, storage::RangeUse::write)) {}
  [[nodiscard]] bool holds() const { return file_.error() == 0 && lock_.error() == 0; }
  [[nodiscard]] bool is_stopped() const {
    return file_.error() == 0 && (lock_.error() == EAGAIN || lock_.error() == EACCES);
  }

 private:
  storage::OpenedFile file_;
  storage::RangeLock lock_;
};

/// One that no other test locks: another job's lock would be taken for rank 0's.
std::int64_t byte_of_one_test() {
  return (std::int64_t{1} << 61) + (std::int64_t{1} << 40) +
         static_cast<std::int64_t>(std::random_device{}());
}

}  // namespace

bool locks_reach_other_nodes(const Ranks& ranks, const std::string& path, int flags) {
  const File& file = ranks.file;
  const auto& nodes = file.place().ranks.get();
  const auto other = std::ranges::find_if(nodes, [](const auto& node) { return node.first != 0; });
  if (other == nodes.end()) return true;
  std::int64_t byte = file.rank == 0 ? byte_of_one_test() : 0;
  std::optional<Attempt> held;
  if (file.rank == 0) held.emplace(path, flags, byte);
  if (held && !held->holds()) byte = 0;
  transport::broadcast(&byte, 1, MPI_INT64_T, 0, ranks.comm);
  if (byte == 0) return false;
  const bool reach = file.rank != other->first || Attempt(path, flags, byte).is_stopped();
  return ranks.agreement.all(reach);
}

}  // namespace collio::engine
