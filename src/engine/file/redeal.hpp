// Subfiles that turn slow while a file is written: from some byte on, stripes go to the others.
//
// Every process times its own writes to each subfile. When the collective writes since the last look took a
// tenth of a second, the ranks compare these times behind a collective write, and if some subfiles are slow
// the stripes that nobody has written to yet are dealt to the others: the manifest says so first. Bytes
// already written stay where they are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "policy/slow_subfiles.hpp"

namespace collio::engine {

class File;

/// What the ranks know of the subfiles of an open file; the same on all.
struct TargetWatch {
  policy::SlowSubfiles rates;
  std::int64_t begin_bytes = 0;  ///< of the file when it was opened
  std::int64_t set_bytes = 0;    ///< length that the program has set
  double seconds = 0;            ///< of collective writes since the last look
  std::int64_t slow_rank = -1;   ///< took longest to write to the subfiles that were left out last
  bool given_up = false;
  std::vector<std::string> said;  ///< for the report, where stripes were dealt anew
};

/// Watches the subfiles of a file opened for writing, where the hints ask for it. Collective.
[[nodiscard]] core::Error watch_targets(File& file);
/// A collective write of the program, for which no rank has another call under way, took the slowest rank so
/// long. What goes wrong becomes a warning: the bytes are written. Collective.
void look_after_targets(File& file, double seconds);
/// Room was promised to the file in all subfiles.
void keep_dealing(File& file) noexcept;

}  // namespace collio::engine
