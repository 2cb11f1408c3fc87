// collio's communicators, and what happens when MPI fails on them.
//
// While they are made errors come back as codes: a file without communicators is left to the MPI library. A
// later error prints the reason and aborts the job: a message lost during an exchange would leave ranks
// waiting and half a file written.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace collio::transport {

/// While it lives, errors on `comm` come back as codes, whatever its owner wants. Not collective.
class ErrorsReturn {
 public:
  explicit ErrorsReturn(MPI_Comm comm);
  ~ErrorsReturn();
  ErrorsReturn(const ErrorsReturn&) = delete;
  ErrorsReturn& operator=(const ErrorsReturn&) = delete;

 private:
  MPI_Comm comm_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

/// Each of these is Collective, over `comm` or over the ranks that are named, and MPI_COMM_NULL where MPI
/// fails and errors return. The new communicator has none of what the program asserts of its own messages
/// (mpi_assert_*).
[[nodiscard]] MPI_Comm duplicate(MPI_Comm comm);
/// The same in two steps, between which other meetings may go on.
class Duplicate {
 public:
  explicit Duplicate(MPI_Comm comm);
  /// Whether MPI has begun. Not collective.
  [[nodiscard]] bool begun() const noexcept { return code_ == MPI_SUCCESS; }
  /// Collective, where it has begun on all ranks.
  [[nodiscard]] MPI_Comm finish();

 private:
  MPI_Comm copy_ = MPI_COMM_NULL;
  MPI_Request request_ = MPI_REQUEST_NULL;
  int code_;
};
[[nodiscard]] MPI_Comm split(MPI_Comm comm, int color, int key);
/// This rank is among `ranks`, which are all that call.
[[nodiscard]] MPI_Comm of_ranks(MPI_Comm comm, const std::vector<int>& ranks);

/// From now on an error on `comm` ends the job, and says why. Not collective.
void end_on_errors(MPI_Comm comm);

/// Ends the job when `code` is an error of the MPI function `call`.
void must(int code, const char* call);

/// Ends the job after the reason was printed: with a pause before it, as a launcher that ends a job at once
/// may not pass on what a rank has just printed (MPICH's). Not collective.
[[noreturn]] void end_job(MPI_Comm comm, int code);

}  // namespace collio::transport
