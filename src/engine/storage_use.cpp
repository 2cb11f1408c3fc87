// See storage_use.hpp.
#include "engine/storage_use.hpp"

#include <cstdint>

namespace collio::engine {

std::string weightiest_text(MPI_Comm comm, int weight, std::string text) {
  struct {
    int weight, rank;
  } mine{weight, 0}, most{};
  MPI_Comm_rank(comm, &mine.rank);
  MPI_Allreduce(&mine, &most, 1, MPI_2INT, MPI_MAXLOC, comm);
  std::int64_t length = static_cast<std::int64_t>(text.size());
  MPI_Bcast(&length, 1, MPI_INT64_T, most.rank, comm);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), static_cast<int>(length), MPI_BYTE, most.rank, comm);
  return text;
}

StorageUse agree_on_storage(MPI_Comm comm, const storage::Opened& mine) {
  int flags[] = {!mine.file || mine.file->overlaps(), !mine.file || !mine.declined};
  MPI_Allreduce(MPI_IN_PLACE, flags, 2, MPI_INT, MPI_LAND, comm);
  StorageUse use;
  use.overlaps = flags[0] != 0;
  use.declined = flags[1] == 0;
  const int weight = !mine.file ? 0 : mine.declined ? 2 : 1;
  const std::string both = weightiest_text(comm, weight, std::string(policy::name_of(mine.kind)) + "\n" + mine.reason);
  use.kind = both.substr(0, both.find('\n'));
  use.reason = both.substr(both.find('\n') + 1);
  return use;
}

}  // namespace collio::engine
