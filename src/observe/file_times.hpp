// What is remembered for the report of collective calls on a file that move no data.
#pragma once

#include "observe/steps.hpp"

namespace collio::observe {

/// Seconds of one rank.
struct FileTimes {
  double open_s = 0;
  double open_by_library_s = 0;  ///< the part of it in the MPI library
  double set_view_s = 0;
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
