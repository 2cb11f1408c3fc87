// See write_times.hpp.
#include "storage/subfiles/write_times.hpp"

#include <algorithm>
#include <utility>

#include "policy/targets/slow_subfiles.hpp"

namespace collio::storage {

WriteTimes::WriteTimes(std::int64_t subfiles, std::int64_t unit_bytes)
    : least_bytes_(std::min(unit_bytes, long_enough)), written_(static_cast<std::size_t>(subfiles)) {}

void WriteTimes::took(std::int64_t subfile, std::int64_t bytes, double seconds) {
  if (bytes < least_bytes_) return;
  const std::lock_guard lock(mutex_);
  for (Amount* amount : {&of(subfile).all, &of(subfile).since}) {
    amount->bytes += bytes;
    amount->ns += static_cast<std::int64_t>(1e9 * seconds);
  }
}

std::vector<std::int64_t> WriteTimes::take() { return take(&Written::all); }
std::vector<std::int64_t> WriteTimes::take_since() { return take(&Written::since); }

std::vector<std::int64_t> WriteTimes::take(Amount Written::*which) {
  std::vector<std::int64_t> amounts;
  const std::lock_guard lock(mutex_);
  for (const Written& to : written_) amounts.push_back((to.*which).bytes);
  for (const Written& to : written_) amounts.push_back((to.*which).ns);
  for (Written& to : written_) to.all = to.since = {};
  return amounts;
}

void WriteTimes::leave_out_below(std::vector<double> least) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < written_.size(); ++i) {
    written_[i].least = least[i];
    written_[i].since = {};
  }
  left_out_ = false;
}

bool WriteTimes::leave_out_none() {
  const std::lock_guard lock(mutex_);
  for (Written& to : written_) to.least = 0;
  return std::exchange(left_out_, false);
}

bool WriteTimes::wanted(std::int64_t subfile) {
  const std::lock_guard lock(mutex_);
  const Written& to = of(subfile);
  const bool slow = to.since.ns >= policy::SlowSubfiles::enough_ns &&
                    static_cast<double>(to.since.bytes) < 1e-9 * to.least * static_cast<double>(to.since.ns);
  left_out_ = left_out_ || slow;
  return !slow;
}

}  // namespace collio::storage
