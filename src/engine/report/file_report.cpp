// See file_report.hpp.
#include "engine/report/file_report.hpp"

#include <cstdlib>
#include <new>

#include "access/mpi_life.hpp"

namespace collio::engine {

namespace {

FileSums so_far(File& file) {
  FileSums sums = sums_so_far(file);
  sums.line.about = about(file, {});
  return sums;
}

bool writes(const File& file) {
  const char* path = ::secure_getenv("COLLIO_REPORT");
  return file.rank == 0 && path && *path;
}

}  // namespace

ReportWishes FileReport::wishes(const File& file) const {
  if (!writes(file)) return {};
  // Of the job's first process alone: those of all would grow with the job.
  return {.report = line_ && access::rank_in_world(file.rank) == 0 &&
                            ReportBook::of_process().takes_pictures(*line_)
                        ? 2
                        : 1};
}

void FileReport::opened(File& file) {
  if (writes(file)) line_ = ReportBook::of_process().opened(so_far(file));
}

void FileReport::call_over(File& file) {
  if (!line_ || line_->id.empty()) return;
  try {
    if (renewal_.due(++data_calls_, observe::now_s())) ReportBook::write_open(so_far(file), *line_);
  } catch (const std::bad_alloc&) {  // the line at close tells the same
  }
}

void FileReport::closed(const Ranks& ranks, const ReportWishes& wishes) {
  const File& file = ranks.file;
  if (wishes.report == 0) return;
  Remarks remarks;
  if (wishes.storage_said != 0) remarks.storage = file.storage_remarks(ranks);
  if (wishes.schedules_said != 0) remarks.schedules = file.schedule_remarks(ranks);
  FileSums sums = sums_of_ranks(ranks, wishes.report == 2);
  if (file.rank != 0) return;
  if (wishes.report == 2 && !sums.line.pictures) ReportBook::of_process().has_no_pictures(*line_);
  try {
    sums.line.about = about(file, remarks);
    ReportBook& book = ReportBook::of_process();
    book.closed(sums, line_ ? *line_ : book.opened(sums));
  } catch (const std::bad_alloc&) {  // the report keeps what it had of the file; the close goes on
  }
}

}  // namespace collio::engine
