// The report's numbers of a file, over its ranks; they can be added up over files of one kind.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/file/file.hpp"

namespace collio::mpiio {

/// Seconds over ranks.
struct Spread {
  double min = 0, median = 0, max = 0;
  void add(const Spread& other) noexcept {
    min += other.min;
    median += other.median;
    max += other.max;
  }
};

/// One record of calls, or similar ones of several files.
struct CallSums {
  static constexpr std::size_t counters = 13, times = observe::step_count + 1, program_times = 3;

  observe::CallRecord record;  ///< what ranks have in common, repeats among them
  std::array<double, counters> counted{};       ///< in the order of count_names
  std::array<Spread, times> seconds;            ///< by step, then in all
  std::array<Spread, program_times> program_s;  ///< to post, waited, hidden

  [[nodiscard]] bool similar(const CallSums& other) const noexcept { return record.similar(other.record) && record.form == other.record.form; }
  void add(const CallSums& other);
};

struct FileSums {
  std::string path;
  std::string kind;     ///< the same for files whose paths differ in numbers only, of as many ranks and with the same hints
  std::string about;    ///< JSON text of what does not add up: communicator, storage, hints, warnings
  std::string network;  ///< JSON text; empty: none
  std::vector<CallSums> calls;
  std::array<Spread, 3> times;  ///< to open, of it by the library, to set views
  std::int64_t independent_calls = 0, library_calls = 0;

  /// The other is of another file. Bounded: calls beyond a number are folded into the last record of their operation.
  void add(const FileSums& other);
};

/// Of all ranks, on rank 0 of the file. Collective.
[[nodiscard]] FileSums sums_of_ranks(engine::File& file);
/// Of this rank alone; bytes and pieces are those of all ranks, as ranks agree on them. Not collective.
[[nodiscard]] FileSums sums_so_far(engine::File& file);

}  // namespace collio::mpiio
