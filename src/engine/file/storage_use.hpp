// Which storage backend makes a file's system calls, as the ranks determined when each opened the file.
#pragma once

#include <mpi.h>

#include <string>

#include "storage/kinds.hpp"
#include "transport/node_memory/words.hpp"

namespace collio::engine {

/// The same on all ranks, except the texts: only rank 0's may come from another rank.
struct StorageUse {
  std::string
      kind;  ///< of the rank that has most to say: one that did not get what was asked for, else the first
  std::string reason;
  bool declined = false;  ///< some rank did not get the kind that was asked for
  bool overlaps = false;  ///< transfers are asynchronous on every rank that has the file open
};

/// What ranks agree on.
struct StorageWords {
  enum class Opened { no, yes, otherwise };  ///< otherwise: by another kind than was asked for
  transport::Most<bool> waits;               ///< transfers are not asynchronous
  transport::Most<Opened> opened;
  transport::Least<int> first_otherwise, first_opened;  ///< ranks; the number of ranks: none
};
/// Of rank `rank` of `size`. `mine`: null file where it has not opened it. Not collective.
[[nodiscard]] StorageWords storage_words(const storage::Opened& mine, int rank, int size);
/// `all`: the same on all ranks. Collective where rank 0's text comes from another rank.
[[nodiscard]] StorageUse storage_use_of(const StorageWords& all, MPI_Comm comm, const storage::Opened& mine);

/// The text of the lowest rank with the largest weight. Collective.
[[nodiscard]] std::string weightiest_text(MPI_Comm comm, int weight, std::string text);

}  // namespace collio::engine
