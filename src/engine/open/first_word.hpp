// What holds for all ranks of a file because rank 0 says so.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <string>

#include "engine/open/discover_network.hpp"
#include "engine/open/ticket.hpp"
#include "machine/machine.hpp"

namespace collio::engine {

/// What rank 0 alone may say: a choice may not rest on what one rank was told, or has seen.
struct FirstWord {
  std::map<std::string, std::string> hints, settings;
  std::map<std::string, std::string> found;  ///< of the file as it was there (engine/file/subfiles.hpp)
  machine::StorageModel storage;             ///< with the file's layout
  NetworkKey network = {};
  Ticket ticket = {};
  std::uint64_t memory_token = 0;  ///< names the file's plan memory, if it begins a new one
};

/// Rank 0's word, on all ranks. Collective.
[[nodiscard]] FirstWord share(MPI_Comm comm, FirstWord word);
/// The same. `crew`: of this rank; `same_crew`: whether all have the same one. Collective.
[[nodiscard]] FirstWord share(MPI_Comm comm, FirstWord word, const CrewId& crew, bool& same_crew);

}  // namespace collio::engine
