// Calls in which each rank moves its own pieces, without the others.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "engine/call/call.hpp"
#include "engine/call/prepare_call.hpp"

namespace collio::engine {

/// One rank's own call. Not collective.
[[nodiscard]] Completion independent_call(File& file, const CallRequest& request);

/// A collective one in atomic mode, on a file that collio alone serves. Each rank moves its own bytes under a
/// lock on its span: overlapping accesses of a call then come one after the other, which an exchange by
/// windows does not promise. Collective.
[[nodiscard]] Completion atomic_call(File& file, const CallRequest& request);

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

/// A rank's bytes that are one piece, in the file and in memory.
struct OnePiece {
  policy::Direction direction = policy::Direction::write;
  /// for the report
  std::string_view operation;
  core::Extent extent;
  /// of the host
  std::byte* memory = nullptr;
  /// see CallRequest
  bool holes_in_view = false;
  /// see is_timed()
  bool timed = true;
};

/// Whether such a call of that many bytes looks at the clock. One among many short ones stands for those
/// before it: two looks take a tenth of the time that 1 KiB takes.
[[nodiscard]] bool is_timed(const File& file, policy::Direction direction, std::int64_t bytes) noexcept;

/// Whether unmet_call() need do no more for one piece than move it: no error is owed, no lock is to be held,
/// this rank has the file open.
[[nodiscard]] bool moves_at_once(const File& file, policy::Direction direction) noexcept;

/// The same as unmet_call() then, by one system call. A library's call of a few bytes takes little longer
/// than that, and describing a piece as a pattern takes as long. False: not all bytes were moved, nothing was
/// booked, and unmet_call() finds out why: an error, the file's end, memory of a device whose driver came
/// after somebody looked.
[[nodiscard]] bool unmet_piece(File& file, const OnePiece& piece);

/// A piece of independent_call() in the same short way, without the report's times. Empty: it needs more than
/// that. Not collective.
[[nodiscard]] std::optional<storage::Transfer> move_piece_alone(File& file, const OnePiece& piece);

}  // namespace collio::engine
