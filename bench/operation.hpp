// One timed write or read of a pattern, once or in several time steps, through MPI-IO or as the floor.
#pragma once

#include <mpi.h>

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "pattern.hpp"

namespace collio::bench {

enum class Direction { write, read };

/// How a data call is made: at once; posted, with the program's computation between post and completion; the
/// same as split calls; at once by each rank alone, without the others.
enum class Collective { blocking, nonblocking, split, independent };

/// Seconds of one step on this rank, and when it was: from the barrier before the first set_view or data call
/// to the end of the last, on a clock that all ranks of a machine share.
struct StepSeconds {
  double set_view = 0;
  double data = 0;  // computing included
  double begin = 0;
  double end = 0;
};

/// Seconds of this rank: the steps, one after the other, and what comes once per operation.
struct Seconds {
  std::vector<StepSeconds> steps;
  double open = 0;
  double sync = 0;
  double close = 0;
};

struct Outcome {
  Seconds seconds;
  std::string error;  // empty: all well on this rank
};

struct Target {
  std::string path;
  std::map<std::string, std::string> hints;
  bool sync = true;     // after a write, outside the main time
  std::string pnetcdf;  // path of the library, for that mode
};

/// What an operation moves: in every step the same calls from the same buffer, one step further in the file.
struct Work {
  std::span<const Call> calls;
  std::span<unsigned char> buffer;
  int steps = 1;
  Collective collective = Collective::blocking;
  double compute_s = 0;             // in every step, dealt out evenly to its calls, without a call to MPI
  std::int64_t step_bytes = 0;      // from where one step starts in the file to where the next does
  std::function<void(int)> before;  // of each step, untimed: makes the buffer ready
  std::function<void(int)> after;   // of each step, untimed: may look at the buffer
};

/// All calls of all steps through MPI-IO, between one open and one close. Collective over MPI_COMM_WORLD.
[[nodiscard]] Outcome run_mpiio(Direction direction, const Target& target, const Work& work);

/// In every step the buffer as one contiguous share, in the first step at `offset`, with POSIX calls of
/// 4 MiB. Collective over MPI_COMM_WORLD.
[[nodiscard]] Outcome run_floor(Direction direction, const Target& target, const Work& work,
                                std::int64_t offset);

/// Seconds; unlike MPI_Wtime the same on all ranks of a machine.
[[nodiscard]] double now_s();

/// What a program does beside its I/O: keeps a core busy.
void compute(double seconds);

/// Returns when all ranks are here, asleep meanwhile: a rank that went on to its next buffer would take the
/// core from one that is still timed, where ranks outnumber cores. Collective.
void rest_until_all_are_here();

}  // namespace collio::bench
