// One timed write or read of a whole pattern, through MPI-IO or as the floor.
#pragma once

#include <mpi.h>

#include <map>
#include <span>
#include <string>

#include "pattern.hpp"

namespace collio::bench {

enum class Direction { write, read };

/// Seconds of this rank. `whole` spans set_view and data of all calls, from the barrier before the first.
struct Seconds {
  double open = 0;
  double set_view = 0;
  double data = 0;
  double whole = 0;
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
  bool sync = true;  // after a write, outside the main time
};

/// All calls of a pattern through MPI-IO. Collective over MPI_COMM_WORLD.
[[nodiscard]] Outcome run_mpiio(Direction direction, const Target& target, std::span<const Call> calls,
                                std::span<unsigned char> buffer);

/// The buffer as one contiguous share at `offset`, with POSIX calls of 4 MiB. Collective over MPI_COMM_WORLD.
[[nodiscard]] Outcome run_floor(Direction direction, const Target& target, std::int64_t offset,
                                std::span<unsigned char> buffer);

}  // namespace collio::bench
