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
  using enum StorageWords::Opened;
  const StorageWords::Opened opened = !mine.file ? no : mine.declined ? otherwise : yes;
  return {{mine.file && !mine.file->overlaps()},
          {opened},
          {opened == otherwise ? rank : size},
          {opened == no ? size : rank}};
}

StorageUse storage_use_of(const StorageWords& all, MPI_Comm comm, const storage::Opened& mine) {
  StorageUse use;
  using enum StorageWords::Opened;
  use.overlaps = !all.waits.value;
  use.declined = all.opened.value == otherwise;
  // Of the ranks that do not get what was asked for, else of those that have the file open, else of all, the
  // lowest speaks.
  const int speaker = use.declined              ? all.first_otherwise.value
                      : all.opened.value == yes ? all.first_opened.value
                                                : 0;
  std::string both = std::string(policy::name_of(mine.kind)) + "\n" + mine.reason;
  if (speaker != 0) transport::broadcast_text(both, speaker, comm);
  use.kind = both.substr(0, both.find('\n'));
  use.reason = both.substr(both.find('\n') + 1);
  return use;
}

}  // namespace collio::engine
