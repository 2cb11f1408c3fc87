// Collective calls in which the ranks do not meet, as romio_cb_write=disable or romio_cb_read=disable asks.
//
// Each rank then makes its own calls on the file, as with the MPI library under the same hints: nothing but
// errors is left to tell. How these calls went is a rank's own until ranks meet again, in a call of another
// kind. Which calls go without a meeting is the same on all ranks, as it follows from the file and the call's
// kind.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/extent.hpp"
#include "core/result.hpp"
#include "observe/call_record.hpp"
#include "policy/plan/plan.hpp"
#include "transport/node_memory/agreement.hpp"

namespace collio::engine {

class File;
class Ranks;

struct UnmetCalls {
  /// Those that move bytes one way, since ranks met.
  struct OneWay {
    std::int64_t made = 0;
    /// short ones since the last that was timed, which the next such one stands for
    std::int64_t untimed = 0;
    observe::CallRecord record;
    /// from this rank's first byte in them to its last
    core::Extent span;
    /// the worst of them on this rank
    transport::Outcome outcome;
    /// its text
    std::string message;

    /// Books the bytes of a call.
    void note_span(const core::Extent& accessed) noexcept;
    /// Books how a call by this rank, of number `rank`, went.
    void note(int rank, const core::Extent& accessed, const core::Error& error);
  };
  OneWay writes, reads;
  /// calls of MPI_File_sync on this rank, which wait for no other
  std::int64_t syncs = 0;
  /// in one of them, or in a call without a reduction: other ranks lack it
  core::Error untold;
  /// ranks have met in a call, and none had made an independent one; the same on all
  bool together = false;
  /// heard in a call that moves no bytes, which programs may not look at: the next data call fails, too
  core::Error owed;
  [[nodiscard]] OneWay& of(policy::Direction direction) noexcept {
    return direction == policy::Direction::write ? writes : reads;
  }
};

/// Whether blocking calls of MPI_File_* that move bytes that way need no reduction. The same on all
/// ranks.
[[nodiscard]] bool may_go_unmet(const File& file, policy::Direction direction) noexcept;

/// In which way calls go without a reduction; the same on all ranks.
struct UnmetWays {
  bool writes = false, reads = false;
};

/// This rank of `size`, when ranks synchronize.
struct UnmetRank {
  transport::Agreement& agreement;
  UnmetCalls& unmet;
  observe::CallLog& log;
  int rank, size;
};

/// Ranks synchronize in a call of the kind `call`: they report to each other how the calls since then went,
/// and add them to the file's log. Where one rank's call failed, all ranks get an error, except a rank that
/// got its own before and is in a call of another kind: it goes on, as the others will come to that call.
/// Does nothing where ranks always meet. Collective.
[[nodiscard]] core::Error hear_of_unmet(const UnmetRank& here, const UnmetWays& ways, std::string_view call);
/// The same on an open file.
[[nodiscard]] core::Error hear_of_unmet(const Ranks& ranks, std::string_view call);

}  // namespace collio::engine
