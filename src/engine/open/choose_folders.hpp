// Which folders the subfiles of a new file go to: those that are worth it, by a probe (collio_probe=enable).
//
// A file with equal parts in several folders is written when the slowest of them is done. So rank 0 takes the
// rates that it measured minutes ago, or measures now (storage/probe), and leaves out what would hold the
// file up (policy/targets/choose_targets). Its node's way to the folders counts for all.
#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"
#include "observe/report_records.hpp"
#include "policy/hints/hints.hpp"
#include "storage/probe/choose.hpp"

namespace collio::engine {

struct FolderChoice {
  /// numbers of the folders, in the order they were given, as one word
  std::string chosen;
  /// none of them can be used
  core::Error error;
  observe::report::TargetProbe said;
};

/// `folders`: from the root. For one rank; it takes as long as storage::probe::choose() with its defaults at
/// most. Not collective.
[[nodiscard]] FolderChoice choose_folders(const std::vector<std::string>& folders);

/// What the report has of a choice. Pure.
[[nodiscard]] observe::report::TargetProbe said_of(const std::vector<storage::probe::Target>& targets,
                                                   const storage::probe::Choice& choice);

/// The hints with those of their folders alone. Pure.
[[nodiscard]] policy::Hints with_folders(policy::Hints hints, const std::string& chosen);

}  // namespace collio::engine
