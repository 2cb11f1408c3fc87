// A call whose bytes move: what each path is given, and how it ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "access/access.hpp"
#include "engine/file/file.hpp"
#include "policy/plan/plan.hpp"
#include "transport/messages/link.hpp"

namespace collio::engine {

/// A call under way: what the paths need.
struct Call {
  File& file;
  const policy::Plan& plan;
  const access::FileAccess& access;
  const access::MemoryAccess& memory;
  const transport::MessageLink link;
  observe::Steps& steps;
  observe::Counters& counters;
  /// two_phase, where the schedule is collio's to choose
  policy::ScheduleTrials* trials = nullptr;
  /// the programs of all ranks wait in the call
  bool all_wait = false;
  /// independent: other ranks may sieve, so each write has a lock
  bool beside = false;
  /// independent write: short pieces may be sieved
  bool sieves = false;
};

/// A collective one.
struct CollectiveCall : Call {
  const Buffers& buffers;
  const Ranks& ranks;
};

/// How a path ended on this rank.
struct PathResult {
  /// read: bytes of this rank that came
  std::int64_t bytes = 0;
  transport::Outcome outcome;
  /// of this rank's error
  std::string message;

  /// Books a failed transfer that began at file offset `offset`.
  void note(std::int64_t offset, const storage::Transfer& transfer);
};

/// How a call ended for its caller on this rank.
struct Completion {
  /// collio declined on all ranks: the MPI library must do the call
  bool native = false;
  /// of this rank, moved
  std::int64_t bytes = 0;
  /// the same class on all ranks
  core::Error error;
  /// in the file's log, when it got there
  std::optional<std::size_t> record;

  [[nodiscard]] static Completion failed(core::Error error) { return {false, 0, std::move(error), {}}; }
};

/// How a call is over whose path ended so.
[[nodiscard]] Completion completion_of(policy::Direction direction, const access::FileAccess& access,
                                       const PathResult& moved);

/// This rank cannot have the buffers of the call.
[[nodiscard]] core::Error no_memory(const Call& call);

}  // namespace collio::engine
