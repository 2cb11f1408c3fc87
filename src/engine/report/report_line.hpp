// A file's part of the report: one line of JSON. Its fields are those of observe/report.def.
#pragma once

#include <string>

#include "engine/report/file_sums.hpp"

namespace collio::engine {

/// Which line of the report a record is. A line replaces earlier ones with the same id.
struct LineHead {
  std::string id;
  /// of one kind, added up; 1: the path is a file's
  std::int64_t files = 1;
  /// of these
  std::int64_t still_open = 0;
};

/// What ranks say together.
struct Remarks {
  std::string storage, schedules;
};
/// Not collective.
[[nodiscard]] observe::report::About about(const File& file, const Remarks& remarks);

/// The line, with its end. Not collective.
[[nodiscard]] std::string line_of(const FileSums& sums, const LineHead& head);

}  // namespace collio::engine
