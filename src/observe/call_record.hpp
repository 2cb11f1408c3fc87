// What is remembered of a file's collective calls for the report.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "observe/report_records.hpp"
#include "observe/steps.hpp"

namespace collio::observe {

/// How the program called.
enum class Form { blocking, nonblocking, split };
[[nodiscard]] std::string_view name_of(Form form) noexcept;

/// Who moves a call on, on this rank.
enum class Progress {
  /// it waits in the call
  program,
  thread,
  /// on the program's thread, wherever that would wait
  fiber,
};
[[nodiscard]] std::string_view name_of(Progress progress) noexcept;

/// One call, or several similar ones in a row. The fields up to `repeats` are the same on all ranks: where
/// these made calls of different names, `operation` is their direction.
struct CallRecord {
  std::string operation, path, error;
  /// in words, of the first of them
  std::string reason;
  /// the same for the same reason
  std::uint64_t reason_key = 0;
  std::int64_t span_bytes = 0;
  /// of all ranks
  std::int64_t all_bytes = 0, all_pieces = 0;
  std::int64_t aggregators = 0, rounds = 0;
  /// two_layer
  std::int64_t local_aggregators = 0;
  report::CallCounts counts;
  std::int64_t repeats = 1;
  Form form = Form::blocking;
  Progress progress = Progress::program;
  /// of the program, in the call that posted it
  double post_s = 0;
  /// of the program, until it was done: in waits, tests, later calls on the file
  double waited_s = 0;
  /// the rest of its time
  double hidden_s = 0;
  /// of the first of them; on rank 0
  std::optional<report::Placement> placement;
  /// of their path, beyond the storage time that all paths share
  double estimate_s = 0;
  /// the same, corrected by what earlier calls took
  double forecast_s = 0;
  /// from the digest on, of the rank where each took longest; the same on all ranks
  double longest_s = 0;
  double total_s = 0;
  Steps steps;
  Counters counters;

  [[nodiscard]] bool similar(const CallRecord& other) const noexcept {
    return operation == other.operation && path == other.path && reason_key == other.reason_key &&
           error == other.error && aggregators == other.aggregators && rounds == other.rounds;
  }
};

/// Counts alone are the record's fields.
template <class Counts>
void add_counts(Counts& into, const Counts& more) {
  report::each_pair(into, more, [](std::int64_t& sum, std::int64_t one) { sum += one; });
}

/// Bounded, as a program may have many files open. Calls are in their order as long as there are few records;
/// then a call goes into any that is similar. Of most_records on, calls are folded into the last record of
/// their operation, path and error: one more is begun only for another of these. Thread-safe, except
/// records().
class CallLog {
 public:
  static constexpr std::size_t most_records = 64, most_in_order = 32;
  /// Index of the record the call went into. `reason`: in words; asked for only where a record begins, for it
  /// costs more than many a call.
  std::size_t add(const CallRecord& record, const std::function<std::string()>& reason);
  /// A call in record `index` is over for the program: what it cost it, in seconds.
  struct ProgramTime {
    double post_s = 0, waited_s = 0, hidden_s = 0;
  };
  void note(std::size_t index, const ProgramTime& time);
  [[nodiscard]] const std::vector<CallRecord>& records() const noexcept { return records_; }
  /// What finds each record's counterpart in the logs of other ranks, some of which may lack it.
  [[nodiscard]] std::vector<std::uint64_t> keys() const;
  /// The same while calls go on. Thread-safe.
  [[nodiscard]] std::vector<CallRecord> snapshot() const;

 private:
  [[nodiscard]] CallRecord* record_for(const CallRecord& record);
  mutable std::mutex mutex_;
  std::vector<CallRecord> records_;
};

}  // namespace collio::observe
