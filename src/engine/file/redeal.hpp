// Subfiles that turn slow while a file is written: from some byte on, stripes go to the others.
//
// Every process times its own writes to each subfile. When the collective writes since the last look took a
// tenth of a second, the ranks compare these times behind a collective write, and if some subfiles are slow
// the stripes that nobody has written to yet are dealt to the others: the manifest says so first. Bytes
// already written stay where they are.
//
// In a call that takes long nobody waits for its end: what goes to a subfile that has turned slow is left
// out. The ranks agree on that after the call, deal the stripes that only this call has written to, and make
// it again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "policy/targets/slow_subfiles.hpp"

namespace collio::engine {

class File;
class Ranks;

/// What the ranks know of the subfiles of an open file; the same on all.
struct TargetWatch {
  policy::SlowSubfiles rates;
  /// of the file when it was opened
  std::int64_t begin_bytes = 0;
  /// length that the program has set
  std::int64_t set_bytes = 0;
  /// of collective writes since the last look
  double seconds = 0;
  /// took longest to write to the subfiles that were left out last
  std::int64_t slow_rank = -1;
  /// end of what this rank had written when the call under way began
  std::int64_t written_before = 0;
  /// writes to slow subfiles, in calls that can be made again
  bool leaves_out = false;
  bool given_up = false;
  /// for the report, where stripes were dealt anew
  std::vector<std::string> said;
};

/// Watches the subfiles of a file opened for writing, where the hints ask for it. Collective.
[[nodiscard]] core::Error watch_targets(const Ranks& ranks);
/// A collective write of the program, for which no rank has another call under way, took the slowest rank so
/// long. What goes wrong becomes a warning: the bytes are written. Collective.
void look_after_targets(const Ranks& ranks, double seconds);
/// Whether writes to subfiles that turn slow may be left out of calls that can be made again; the same on all
/// ranks.
[[nodiscard]] bool may_leave_out(const File& file);
/// A collective write begins that can be made again, and with no other call of the program under way: writes
/// to subfiles that turn slow may be left out from now on. Not collective.
void let_leave_out(File& file);
/// None may be left out any more. Whether this rank left one out. Not collective.
[[nodiscard]] bool leave_out_none(File& file);
/// Ranks left out writes of a call: deals the stripes behind those that others than this call have written
/// to, if the subfiles are slow for all ranks. Then the call has to be made again. Collective.
void look_after_left_out(const Ranks& ranks);
/// Room was promised to the file in all subfiles.
void keep_dealing(File& file) noexcept;

}  // namespace collio::engine
