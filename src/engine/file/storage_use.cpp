// See storage_use.hpp.
#include "engine/file/storage_use.hpp"

#include "transport/waiting/collectives.hpp"

namespace collio::engine {

std::string weightiest_text(MPI_Comm comm, int weight, std::string text) {
  struct {
    int weight, rank;
  } most{weight, 0};
  MPI_Comm_rank(comm, &most.rank);
  transport::reduce_to_all(&most, 1, MPI_2INT, MPI_MAXLOC, comm);
  transport::broadcast_text(text, most.rank, comm);
  return text;
}

StorageWords storage_words(const storage::Opened& mine, int rank, int size) {
  // Of the ranks that do not get what was asked for, else of those that have the file open, else of all, the
  // lowest speaks.
  const int weight = !mine.file ? 0 : mine.declined ? 2 : 1;
  return {mine.file && !mine.file->overlaps(), weight, weight < 2 ? -size : -rank,
          weight < 1 ? -size : -rank};
}

StorageUse storage_use_of(const StorageWords& most, MPI_Comm comm, const storage::Opened& mine) {
  StorageUse use;
  use.overlaps = most[0] == 0;
  use.declined = most[1] == 2;
  const auto speaker = static_cast<int>(most[1] == 2 ? -most[2] : most[1] == 1 ? -most[3] : 0);
  std::string both = std::string(policy::name_of(mine.kind)) + "\n" + mine.reason;
  if (speaker != 0) transport::broadcast_text(both, speaker, comm);
  use.kind = both.substr(0, both.find('\n'));
  use.reason = both.substr(both.find('\n') + 1);
  return use;
}

}  // namespace collio::engine
