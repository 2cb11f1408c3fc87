// When a rank was in which step of which call, for a picture of a job (`collio run --trace`). Bounded: what
// does not fit is left out, and counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace collio::observe {

enum class Step;

/// Whether times are kept; false until start_trace().
inline std::atomic<bool> traced{false};

/// Once in a process, on one of the first ranks, where COLLIO_TRACE is the beginning of a path: the process
/// writes JSON lines to that path with its name behind. `rank`: of the job. Not collective. Thread-safe.
void start_trace(int rank) noexcept;

/// A step that was left, by now_s(). Does nothing unless traced. Thread-safe.
void trace_step(Step step, double begin_s, double end_s) noexcept;

/// A collective call of a rank that is over.
struct TracedCall {
  std::string_view operation, path, file;
  std::int64_t bytes = 0;
  double begin_s = 0, end_s = 0;
};
void trace_call(const TracedCall& call) noexcept;

}  // namespace collio::observe
