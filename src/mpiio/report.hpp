// The report of files, for COLLIO_REPORT: written by rank 0 of a file's communicator when it is opened, now
// and then while it is used, and at close.
#pragma once

#include "mpiio/open_files.hpp"

namespace collio::mpiio {

/// Whether this rank is to write of the file. Not collective.
[[nodiscard]] engine::ReportWishes report_wishes(const engine::File& file);
/// Not collective. All do nothing unless COLLIO_REPORT names a file, and on other ranks than the file's
/// first.
void report_opened(OpenFile& file);
/// A data call is over: on the thread that made it.
void report_call(OpenFile& file);
/// A data call was, or will be, one that collio has no record of.
void count_independent(OpenFile& file);
void count_by_library(OpenFile& file);
/// `wishes`: of all ranks. Collective over the file's communicator.
void report_closed(OpenFile& file, const engine::ReportWishes& wishes);

}  // namespace collio::mpiio
