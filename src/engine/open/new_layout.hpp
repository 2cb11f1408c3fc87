// The layout of a file that this job makes: set before anybody opens it, or while it is empty.
//
// Lustre fixes a file's stripes when it is first opened for writing, so the file is made here before the MPI
// library opens it. Not where the program wants to make it itself (MPI_MODE_EXCL): then the layout is set
// after the open, on file systems that allow it while the file is empty.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "machine/layout.hpp"
#include "observe/report_records.hpp"
#include "storage/same_file.hpp"

namespace collio::engine {

/// Of rank 0.
struct NewLayout {
  machine::LayoutWish wish;
  /// the file is not there yet
  bool after_open = false;
  /// of the file
  std::string path;
  /// it, where rank 0 made it
  storage::Holder made;
  std::optional<observe::report::TargetProbe> probe;
  /// the wish, and what the file system made of it; empty: no wish
  std::string outcome;
};

/// Before the open of a file that may not be there. `hints`: of the program and of collio's environment.
/// `exclusive`: the open fails if it is there. For one rank: it makes the file. Not collective.
[[nodiscard]] NewLayout lay_out_new_file(const std::string& path,
                                         const std::map<std::string, std::string>& hints, bool exclusive);

/// The open failed: removes the file that was made for it, if it is empty. Not collective.
void undo_layout(NewLayout& layout) noexcept;

/// What is left to do when the file is there. Not collective.
void finish_layout(NewLayout& layout, const std::string& path);

}  // namespace collio::engine
