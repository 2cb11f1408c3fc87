// A call: what its caller asks for, what each path is given, and how it ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "access/access.hpp"
#include "access/external32.hpp"
#include "engine/file/file.hpp"
#include "observe/call_record.hpp"
#include "policy/plan/plan.hpp"
#include "transport/messages/link.hpp"

namespace collio::engine {

/// What the caller asks for: bytes of the view's data stream from `position` on, as many as `memory` has, or
/// the bytes of `pieces`.
struct CallRequest {
  policy::Direction direction = policy::Direction::write;
  /// name for the report
  std::string operation;
  observe::Form form = observe::Form::blocking;
  observe::Progress progress = observe::Progress::program;
  std::int64_t position = 0;
  /// of the file, whatever its view; null: the view's
  std::shared_ptr<const access::FileAccess> pieces;
  access::MemoryAccess memory;
  /// whose copy `memory` is; null: it is the program's
  std::shared_ptr<const access::ConvertedMemory> converted;
  /// this rank's datatype is beyond collio
  bool undescribed = false;
  /// an error this rank found in its arguments
  core::Error error;
  /// A blocking call of MPI_File_* through a view that collio knows: without collective buffering ranks need
  /// not meet in it. The same on all ranks.
  bool may_go_unmet = false;
  /// independent calls through the view come to collio: they may sieve
  bool others_sieve = false;
  /// those of the MPI library may, too; the same on all ranks
  bool holes_in_view = false;
  /// of an independent write: no other call of this rank is under way
  bool may_sieve = false;
};

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
