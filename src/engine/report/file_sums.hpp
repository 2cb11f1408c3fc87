// The report's numbers of a file, over its ranks; they can be added up over files of one kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/file/file.hpp"
#include "observe/report_records.hpp"

namespace collio::engine {

/// One record of calls, or similar ones of several files.
struct CallSums {
  /// what ranks have in common, repeats among them
  observe::CallRecord record;
  observe::Counters counted;
  observe::report::CallSeconds seconds;
  observe::report::ProgramSeconds program;
  /// as in the report; of several files, those of the longer wait and the longer access
  std::optional<std::int64_t> last_rank = {}, slowest_rank = {};

  [[nodiscard]] bool similar(const CallSums& other) const noexcept {
    return record.similar(other.record) && record.form == other.record.form;
  }
  void add(const CallSums& other);
};

struct FileSums {
  /// the same for files whose paths differ in numbers only, of as many ranks and with the same hints
  std::string kind;
  /// all but the calls, and what is in `LineHead`
  observe::report::File line;
  std::vector<CallSums> calls;

  /// The other is of another file. Bounded: calls beyond a number are folded into the last record of their
  /// operation.
  void add(const FileSums& other);
};

/// Of all ranks, on rank 0 of the file. Collective.
[[nodiscard]] FileSums sums_of_ranks(const Ranks& ranks, bool with_pictures);
/// Of this rank alone; bytes and pieces are those of all ranks, as ranks agree on them. Not collective.
[[nodiscard]] FileSums sums_so_far(File& file);

}  // namespace collio::engine
