// What a simulated call comes to.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "machine/topology.hpp"

namespace collio::simulate {

/// What a part of the call needed, of whoever was busiest with it.
struct Phase {
  std::string name;
  double seconds = 0;
};

struct Outcome {
  double seconds = 0;
  std::vector<Phase> phases;
  /// local ones: 0 where there is one layer
  int aggregators = 0, local_aggregators = 0;
  std::int64_t window_bytes = 0, rounds = 0, rounds_simulated = 0;
  /// of simulated rounds, that were served to their end
  std::int64_t windows = 0;
  /// between nodes and inside them
  std::int64_t messages = 0;
  /// messages that an aggregator expects at a time
  std::int64_t most_receives = 0;
  /// first messages to an aggregator that bring nothing
  std::int64_t empty_messages = 0;
  /// of messages that an aggregator has not asked for, in the MPI library of the node that has most; part of
  /// node_memory_bytes
  std::int64_t unexpected_bytes = 0;
  /// in flight: begun and not yet in the file, or not yet delivered
  int most_windows = 0;
  double mean_windows = 0;
  /// of windows and of pieces on their way, on the node that has most
  std::int64_t node_memory_bytes = 0;
  machine::BusiestLink link;
  /// the busiest ones; a receiver by its domain
  int target = 0, receiver = 0;
  double target_s = 0, receiver_s = 0;
  std::int64_t locks_moved = 0;

  /// Lets what was counted in the simulated rounds stand for all rounds. `seconds`, `phases` and `windows`
  /// stay. Returns all rounds / simulated ones.
  double extend_counts() {
    const double scale = static_cast<double>(rounds) / static_cast<double>(rounds_simulated);
    for (std::int64_t* count : {&messages, &link.bytes, &locks_moved})
      *count = static_cast<std::int64_t>(static_cast<double>(*count) * scale);
    for (double* time_s : {&link.time_s, &target_s, &receiver_s}) *time_s *= scale;
    return scale;
  }
};

/// Windows in flight.
class Flights {
 public:
  void add(double from_s, double to_s) {
    events_.push_back({from_s, 1});
    events_.push_back({to_s, -1});
    sum_s_ += to_s - from_s;
  }
  [[nodiscard]] double mean(double seconds) const { return seconds > 0 ? sum_s_ / seconds : 0; }
  [[nodiscard]] int most() {
    std::sort(events_.begin(), events_.end());  // of one time an end comes first
    int now = 0, most = 0;
    for (const auto& event : events_) most = std::max(most, now += event.second);
    return most;
  }

 private:
  std::vector<std::pair<double, int>> events_;
  double sum_s_ = 0;
};

}  // namespace collio::simulate
