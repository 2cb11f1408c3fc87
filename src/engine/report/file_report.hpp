// A file's part of the report, for COLLIO_REPORT: written by rank 0 of its communicator when it is opened,
// now and then while it is used, and at close.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/file/file.hpp"
#include "engine/report/report_book.hpp"
#include "observe/renewal.hpp"

namespace collio::engine {

/// All do nothing unless COLLIO_REPORT names a file, and on other ranks than the file's first.
class FileReport {
 public:
  /// Not collective.
  void opened(File& file);
  /// A data call is over: on the thread that made it. Not collective.
  void call_over(File& file);
  /// Of this rank, before the file is closed. Not collective.
  [[nodiscard]] ReportWishes wishes(const File& file) const;
  /// `wishes`: of all ranks. Collective over the file's communicator.
  void closed(const Ranks& ranks, const ReportWishes& wishes);

 private:
  std::optional<ReportLine> line_;
  /// of the file's own line
  observe::Renewal renewal_;
  /// of this rank, while there is such a line
  std::int64_t data_calls_ = 0;
};

}  // namespace collio::engine
