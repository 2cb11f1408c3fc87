// Which storage backend makes a file's system calls, as the ranks determined when each opened the file.
#pragma once

#include <mpi.h>

#include <string>

#include "storage/kinds.hpp"
#include "transport/node_memory/words.hpp"

namespace collio::engine {

/// The same on all ranks, except the texts: only rank 0's may come from another rank.
struct StorageUse {
  /// of the rank that has most to say: one that did not get what was asked for, else the first
  std::string kind;
  std::string reason;
  /// some rank did not get the kind that was asked for
  bool declined = false;
  /// transfers are asynchronous on every rank that has the file open
  bool overlaps = false;
};

/// What ranks agree on.
struct StorageWords {
  /// otherwise: by another kind than was asked for
  enum class Opened { no, yes, otherwise };
  /// transfers are not asynchronous
  transport::Most<bool> waits;
  transport::Most<Opened> opened;
  /// ranks; the number of ranks: none
  transport::Least<int> first_otherwise, first_opened;
};
/// Of rank `rank` of `size`. `mine`: null file where it has not opened it. Not collective.
[[nodiscard]] StorageWords storage_words(const storage::Opened& mine, int rank, int size);
/// `all`: the same on all ranks. Collective where rank 0's text comes from another rank.
[[nodiscard]] StorageUse storage_use_of(const StorageWords& all, MPI_Comm comm, const storage::Opened& mine);

/// The text of the lowest rank with the largest weight. Collective.
[[nodiscard]] std::string weightiest_text(MPI_Comm comm, int weight, std::string text);

}  // namespace collio::engine
