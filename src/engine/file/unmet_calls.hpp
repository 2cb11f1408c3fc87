// Collective reads in which the ranks do not meet (collio_meet_every).
//
// Where each rank makes its own calls on the file, nothing but errors has to be told. Ranks may then meet
// in every N-th read only. Which reads go without a meeting is the same on all ranks: it follows from their
// last meeting, and from how many reads came since. How these went is a rank's own until they meet again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/extent.hpp"
#include "core/result.hpp"
#include "observe/call_record.hpp"
#include "policy/plan/digest.hpp"
#include "transport/node_memory/agreement.hpp"

namespace collio::engine {

class File;

struct UnmetCalls {
  std::int64_t left = 0;       ///< reads to come that may go without a meeting
  std::int64_t made = 0;       ///< since ranks met
  observe::CallRecord record;  ///< of these
  core::Extent span;           ///< from this rank's first byte in them to its last
  transport::Outcome outcome;  ///< the worst of them on this rank
  std::string message;         ///< its text
  core::Error untold;  ///< heard in a call that moves no bytes, which programs may not look at: the next
                       ///< data call fails, too

  /// Books how a call by this rank, of number `rank`, went.
  void note(int rank, const core::Extent& accessed, const core::Error& error);
};

/// Ranks meet again, in a call of the kind `call`: they tell each other how the reads since then went, and
/// add them to the file's log. Where one rank's read failed, all ranks get an error, except a rank that got
/// its own before and is in a call of another kind: it goes on, as the others will come to that call. Does
/// nothing where there were no reads. Collective.
[[nodiscard]] core::Error hear_of_unmet(File& file, std::string_view call);

}  // namespace collio::engine
