// A call whose bytes move: what each path is given, and how it ended.
#pragma once

#include <cstdint>
#include <string>

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
  policy::ScheduleTrials* trials = nullptr;  ///< two_phase, where the schedule is collio's to choose
  bool all_wait = false;                     ///< the programs of all ranks wait in the call
  bool beside = false;                       ///< independent: other ranks may sieve, so each write has a lock
  bool sieves = false;                       ///< independent write: short pieces may be sieved
};

/// A collective one.
struct CollectiveCall : Call {
  const Buffers& buffers;
  const Ranks& ranks;
};

/// How a path ended on this rank.
struct PathResult {
  std::int64_t bytes = 0;  ///< read: bytes of this rank that came
  transport::Outcome outcome;
  std::string message;  ///< of this rank's error

  /// Books a failed transfer that began at file offset `offset`.
  void note(std::int64_t offset, const storage::Transfer& transfer);
};

/// This rank cannot have the buffers of the call.
[[nodiscard]] core::Error no_memory(const Call& call);

}  // namespace collio::engine
