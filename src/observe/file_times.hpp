// What is remembered for the report of calls on a file that have no record: those that move no data, and
// those that are not collio's.
#pragma once

#include <atomic>

#include "observe/steps.hpp"

namespace collio::observe {

/// Of one rank.
struct FileTimes {
  double open_s = 0;
  /// the part of it in the MPI library
  double open_by_library_s = 0;
  double set_view_s = 0;
  /// data calls of this rank alone, by collio or the library
  std::atomic<std::int64_t> independent_calls{0};
  /// collective data calls by the library, without a record
  std::atomic<std::int64_t> library_calls{0};
};

/// Adds the time it lives to a sum.
class TimeInto {
 public:
  explicit TimeInto(double& sum) noexcept : sum_(sum) {}
  ~TimeInto() { sum_ += now_s() - begin_; }
  TimeInto(const TimeInto&) = delete;
  TimeInto& operator=(const TimeInto&) = delete;

 private:
  double& sum_;
  double begin_ = now_s();
};

}  // namespace collio::observe
