// What is recorded of an open file, for warnings and for the report. Of this rank, if not said otherwise.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/file/traffic.hpp"
#include "engine/open/new_layout.hpp"
#include "observe/call_record.hpp"
#include "observe/file_times.hpp"
#include "observe/report_records.hpp"

namespace collio::engine {

struct Records {
  std::map<std::string, std::string> in_force;  ///< hints, by their keys; the same on all ranks
  /// On hints, and on what the file lacks. Each is said once a job.
  std::vector<std::string> warnings;
  std::vector<std::string> found_by_check;            ///< in check mode, call by call
  NewLayout new_layout;                               ///< of rank 0
  std::optional<observe::report::TargetProbe> probe;  ///< of rank 0, of the folders of new subfiles
  observe::CallLog log;
  observe::FileTimes times;
  Traffic traffic;  ///< between nodes
};

}  // namespace collio::engine
