// What is remembered of a file's collective calls for the report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "observe/steps.hpp"

namespace collio::observe {

/// How the file domains were placed, on rank 0. In order: with domain i at aggregator i.
struct Placement {
  std::string how, reason;   ///< empty: not placed
  std::int64_t hop_bytes_in_order = 0, hop_bytes = 0;
  std::int64_t bytes_inside_nodes = 0;
  double busiest_in_order_s = 0, busiest_s = 0;  ///< of the link that needs longest
  double imbalance = 1;                          ///< most bytes of an aggregator by their mean
};

/// One call, or several similar ones in a row. The fields up to `repeats` are the same on all ranks.
struct CallRecord {
  std::string operation, path, reason, error;
  std::int64_t span_bytes = 0;
  std::int64_t aggregators = 0, rounds = 0;
  std::int64_t local_aggregators = 0;  ///< two_layer
  std::int64_t remembered = 0;         ///< calls whose plan was remembered from an earlier one
  std::int64_t repeats = 1;
  Placement placement;                 ///< of the first of them
  double total_s = 0;
  Steps steps;
  Counters counters;

  [[nodiscard]] bool similar(const CallRecord& other) const noexcept {
    return operation == other.operation && path == other.path && reason == other.reason && error == other.error &&
           aggregators == other.aggregators && rounds == other.rounds;
  }
};

/// Bounded: when full, further calls are folded into the last record of their operation.
class CallLog {
 public:
  static constexpr std::size_t most_records = 512;
  void add(const CallRecord& record);
  [[nodiscard]] const std::vector<CallRecord>& records() const noexcept { return records_; }

 private:
  std::vector<CallRecord> records_;
};

}  // namespace collio::observe
