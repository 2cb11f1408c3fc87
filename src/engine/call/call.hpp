// One collective call: access, digest, plan, move, agree on the outcome.
#pragma once

#include <memory>
#include <optional>

#include "access/access.hpp"
#include "access/external32.hpp"
#include "engine/file/file.hpp"
#include "policy/plan.hpp"
#include "transport/messages/link.hpp"
#include "transport/node_memory/agreement.hpp"

namespace collio::engine {

/// What the caller asks for: bytes of the view's data stream from `position` on, as many as `memory` has, or
/// the bytes of `pieces`.
struct CallRequest {
  policy::Direction direction = policy::Direction::write;
  std::string operation;  ///< name for the report
  observe::Form form = observe::Form::blocking;
  observe::Progress progress = observe::Progress::program;
  std::int64_t position = 0;
  std::shared_ptr<const access::FileAccess> pieces;  ///< of the file, whatever its view; null: the view's
  access::MemoryAccess memory;
  std::shared_ptr<const access::ConvertedMemory>
      converted;              ///< whose copy `memory` is; null: it is the program's
  bool undescribed = false;   ///< this rank's datatype is beyond collio
  core::Error error;          ///< an error this rank found in its arguments
  bool others_sieve = false;  ///< independent calls through the view come to collio: they may sieve
  bool may_sieve = false;     ///< of an independent write: no other call of this rank is under way
};

struct Completion {
  bool native = false;                ///< collio declined on all ranks: the MPI library must do the call
  std::int64_t bytes = 0;             ///< of this rank, moved
  core::Error error;                  ///< the same class on all ranks
  std::optional<std::size_t> record;  ///< in the file's log, when it got there
};

/// Collective over the file's communicator. Every rank returns, with the same error class.
[[nodiscard]] Completion collective_call(File& file, const CallRequest& request);

/// The same in atomic mode: each rank by its own call. Collective.
[[nodiscard]] Completion atomic_call(File& file, const CallRequest& request);

/// One rank's own call. Not collective.
[[nodiscard]] Completion independent_call(File& file, const CallRequest& request);

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

/// How a path ended on this rank.
struct PathResult {
  std::int64_t bytes = 0;  ///< read: bytes of this rank that came
  transport::Outcome outcome;
  std::string message;  ///< of this rank's error

  /// Books a failed transfer that began at file offset `offset`.
  void note(std::int64_t offset, const storage::Transfer& transfer);
};

/// How a call that ended so is over for this rank.
[[nodiscard]] Completion completion_of(policy::Direction direction, const access::FileAccess& access,
                                       const PathResult& moved);

/// This rank cannot have the buffers of the call.
[[nodiscard]] core::Error no_memory(const Call& call);

/// In check mode (collio_check), before a write: warns of bytes that several ranks write, or one rank twice.
/// An error when the mode is strict. Collective. Cost: as the exchange of the pieces' descriptions; at most 8
/// MiB on an aggregator, whatever the pieces.
[[nodiscard]] core::Error check_write(File& file, const CallRequest& request, const policy::Digest& digest,
                                      const access::FileAccess& access);

[[nodiscard]] PathResult two_layer_write(Call& call);
[[nodiscard]] PathResult two_layer_read(Call& call);
[[nodiscard]] PathResult two_phase_write(Call& call);
[[nodiscard]] PathResult two_phase_read(Call& call);
[[nodiscard]] PathResult independent_write(Call& call);
[[nodiscard]] PathResult independent_read(Call& call);

}  // namespace collio::engine
