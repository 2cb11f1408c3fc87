// A collective call the program does not wait for: nonblocking (it has a request) or split (its file knows
// it).
#pragma once

#include "mpiio/shim/calls.h"

#include <atomic>
#include <memory>
#include <vector>

#include "access/reserve.hpp"
#include "engine/call/call.hpp"
#include "mpiio/calls/data_calls.hpp"

namespace collio::mpiio {

struct Operation : std::enable_shared_from_this<Operation> {
  Operation(const std::shared_ptr<OpenFile>& of, const DataCall& what);
  /// what it cost the program goes into the file's log
  ~Operation();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  /// Becomes a generalized request that is complete when the operation is. Not collective.
  MPI_Request make_request();
  /// Does the call, on a thread of collio's or a fiber. Collective, in the order of the file's other calls.
  void run(OpenFile& open_file);
  /// Returns when it is done; politely. Moves other calls on meanwhile where that is the program's part.
  void wait();
  /// What an MPI function that completes it returns; calls the file's error handler. MPI_SUCCESS when all
  /// went well.
  [[nodiscard]] int raise_error() const;
  [[nodiscard]] bool failed() const noexcept {
    return done && (library_code != MPI_SUCCESS || !result.error.ok());
  }

  /// other ranks wait for this one, in the call and on the way to it
  const access::Reserve::Use no_list_fails;
  std::weak_ptr<OpenFile> file;
  /// Place::at by now
  DataCall call;
  engine::CallRequest request;
  /// a copy, when the library may have to do the call with it
  MPI_Datatype own_type = MPI_DATATYPE_NULL;
  MPI_Request handle = MPI_REQUEST_NULL;

  /// the members below may be read when it is
  std::atomic<bool> done{false};
  /// and so is its request: MPICH's MPI_Waitall may wait for no other
  std::atomic<bool> completed{false};
  engine::Completion result;
  /// of the MPI library, when that did the call
  int library_code = MPI_SUCCESS;
  /// how long it took, and when it ended
  double busy_s = 0, end_s = 0;
  double post_s = 0;
  /// of the program, for this
  std::atomic<double> waited_s{0};
};

/// How many there are; what the shim looks at.
[[nodiscard]] const int* pending_operations();

/// Collio's own among requests; null for others. Thread-safe, not collective.
[[nodiscard]] std::vector<std::shared_ptr<Operation>> operations_of(int count, const MPI_Request* requests);

/// The program waits for those of these that are not done, from construction to destruction.
class ProgramWaits {
 public:
  explicit ProgramWaits(std::vector<std::shared_ptr<Operation>> operations);
  ~ProgramWaits();
  ProgramWaits(const ProgramWaits&) = delete;
  ProgramWaits& operator=(const ProgramWaits&) = delete;

 private:
  std::vector<std::shared_ptr<Operation>> operations_;
  double begin_s_;
};

}  // namespace collio::mpiio
