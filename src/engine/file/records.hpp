// What is recorded of an open file, for warnings and for the report. Of this rank, if not said otherwise.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/shared.hpp"
#include "engine/file/traffic.hpp"
#include "engine/open/new_layout.hpp"
#include "observe/call_record.hpp"
#include "observe/file_times.hpp"
#include "observe/pictures.hpp"
#include "observe/report_records.hpp"

namespace collio::engine {

struct Records {
  /// hints, by their keys; the same on all ranks
  core::Shared<std::map<std::string, std::string>> in_force;
  /// On hints, and on what the file lacks. Each is said once a job.
  std::vector<std::string> warnings;
  /// in check mode, call by call
  std::vector<std::string> found_by_check;
  /// of rank 0
  NewLayout new_layout;
  /// of rank 0, of the folders of new subfiles
  std::optional<observe::report::TargetProbe> probe;
  /// of a file of PnetCDF's
  std::optional<observe::report::PnetcdfCalls> pnetcdf;
  observe::CallLog log;
  observe::FileTimes times;
  /// null: there is no report
  std::shared_ptr<observe::Pictures> pictures;
  /// between nodes
  Traffic traffic;
};

}  // namespace collio::engine
