// Which storage targets a new file is striped over: those that are worth it, by a probe
// (collio_probe=enable).
//
// Every stripe on a slow target holds the file up. Where the file system takes a list of targets (Lustre, the
// lab's), rank 0 measures each with a file that lies on it alone, and asks for those that the rule chooses.
// As for folders (choose_folders), rates hold for minutes, and its node's way to the targets counts for all.
#pragma once

#include <optional>
#include <string>

#include "machine/layout.hpp"
#include "observe/report_records.hpp"

namespace collio::engine {

struct StripeChoice {
  /// with the targets, unless there is an error
  machine::LayoutWish wish;
  /// nothing was chosen; empty: it was
  std::string why_not;
  std::optional<observe::report::TargetProbe> said;
};

/// For a file at `path`, which is not there yet. `wish`: what else is asked for; of more targets than its
/// count the fastest are taken. For one rank; it takes as long as storage::probe::choose() with its defaults
/// at most. Makes files beside it and removes them. Not collective.
[[nodiscard]] StripeChoice choose_stripes(const std::string& path, machine::LayoutWish wish);

}  // namespace collio::engine
