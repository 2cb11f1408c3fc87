// What a rank brings to the open of a file.
#pragma once

#include <mpi.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/open/crew.hpp"
#include "engine/open/discover_network.hpp"
#include "engine/open/first_word.hpp"
#include "engine/open/new_layout.hpp"
#include "observe/report_records.hpp"
#include "policy/hints/hints.hpp"
#include "storage/subfiles/look.hpp"

namespace collio::engine {

struct FileRequest {
  MPI_Comm comm = MPI_COMM_NULL;  ///< the program's communicator; of use while the file is opened only
  std::string path;               ///< of POSIX, without a driver's name before it
  bool reads = true, writes = true;
  std::map<std::string, std::string> hints;  ///< of the program and of collio's environment
  /// Hints that other layers' settings put in place of these, or beside them; of rank 0.
  std::map<std::string, std::string> settings;
  std::vector<std::string> warnings;  ///< on hints of this rank that are none
  storage::FoundFile found = {};      ///< by rank 0, when the file was there
  NewLayout new_layout = {};          ///< of rank 0, where the program may make the file
  std::uint32_t writer_mark = 0;      ///< of rank 0, which put it (storage/writer_mark.hpp); 0: none
  bool only_in_subfiles = false;      ///< else the file is not opened, as if it were disabled; on all ranks
};

/// The path from the root. Not collective.
[[nodiscard]] std::string absolute_path(const std::string& path);

/// The crew that this rank knows the file's ranks by; and on rank 0 the word that counts for all.
struct Proposal {
  explicit Proposal(MPI_Comm comm) : offer(comm) {}
  Crew::Offer offer;
  int rank = 0, size = 1;
  std::string path;  ///< from the root
  // On rank 0, as the rest:
  FirstWord word;
  std::string text;  ///< of the word
  std::shared_ptr<const NetworkText> network;
  NewLayout new_layout;
  std::optional<observe::report::TargetProbe> probe;  ///< of the folders of new subfiles
  std::vector<std::string> warnings;

  [[nodiscard]] OpenWord::Words words() const {
    return rank == 0 ? OpenWord::of(offer.crew(), text) : OpenWord::none(offer.crew());
  }
};

/// Not collective.
[[nodiscard]] std::unique_ptr<Proposal> propose(const FileRequest& request);

/// What rank 0's word makes of the hints, on every rank. Pure.
[[nodiscard]] policy::Hints hints_of(const FirstWord& first);

}  // namespace collio::engine
