// What a caller asks of a collective call, or of one rank's own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "access/access.hpp"
#include "access/external32.hpp"
#include "core/result.hpp"
#include "observe/call_record.hpp"
#include "policy/plan/plan.hpp"

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

}  // namespace collio::engine
