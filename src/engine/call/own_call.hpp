// The independent part of one rank: its own pieces, without the others.
#pragma once

#include <optional>

#include "engine/call/call.hpp"
#include "engine/call/prepare_call.hpp"

namespace collio::engine {

/// Moves this rank's bytes before it meets the others, where an earlier call of the same pieces went by each
/// rank's own calls: ranks then meet once, not twice. Whatever the others do, the bytes are right: they are
/// this rank's own. Not in a file's first call, or once a rank has made independent calls on it: programs
/// count on a collective call to begin after these, although MPI does not promise it. None: the ranks are to
/// agree on a plan first. Not collective.
[[nodiscard]] std::optional<PathResult> move_ahead(const Ranks& ranks, const CallRequest& request,
                                                   const Prepared& prepared, observe::CallRecord& record);

/// Whether ranks do not meet in this call (engine/file/unmet_calls.hpp). The same on all ranks.
[[nodiscard]] bool goes_unmet(const File& file, const CallRequest& request);

/// Such a call. Not collective: an error is this rank's alone until ranks meet.
[[nodiscard]] Completion unmet_call(File& file, const CallRequest& request);

}  // namespace collio::engine
