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
  /// the program's communicator; of use while the file is opened only
  MPI_Comm comm = MPI_COMM_NULL;
  /// of POSIX, without a driver's name before it
  std::string path;
  bool reads = true, writes = true;
  /// of the program and of collio's environment
  std::map<std::string, std::string> hints;
  /// Hints that other layers' settings put in place of these, or beside them; of rank 0.
  std::map<std::string, std::string> settings;
  /// on hints of this rank that are none
  std::vector<std::string> warnings;
  /// by rank 0, when the file was there
  storage::FoundFile found = {};
  /// of rank 0, where the program may make the file
  NewLayout new_layout = {};
  /// of rank 0, which put it (storage/writer_mark.hpp); 0: none
  std::uint32_t writer_mark = 0;
  /// else the file is not opened, as if it were disabled; on all ranks
  bool only_in_subfiles = false;
};

/// The path from the root. Not collective.
[[nodiscard]] std::string absolute_path(const std::string& path);

/// The crew that this rank knows the file's ranks by; and on rank 0 the word that counts for all.
struct Proposal {
  explicit Proposal(MPI_Comm comm) : offer(comm) {}
  Crew::Offer offer;
  int rank = 0, size = 1;
  /// from the root
  std::string path;
  // On rank 0, as the rest:
  FirstWord word;
  /// of the word
  std::string text;
  std::shared_ptr<const NetworkText> network;
  NewLayout new_layout;
  /// of the folders of new subfiles
  std::optional<observe::report::TargetProbe> probe;
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
