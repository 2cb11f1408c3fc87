// See report.hpp.
#include "mpiio/report.hpp"

#include <cstdlib>
#include <new>

#include "mpiio/report_book.hpp"

namespace collio::mpiio {

namespace {

FileSums so_far(OpenFile& file) {
  FileSums sums = sums_so_far(*file.engine);
  sums.line.about = about(*file.engine, {});
  return sums;
}

}  // namespace

engine::ReportWishes report_wishes(const engine::File& file) {
  const char* path = ::secure_getenv("COLLIO_REPORT");
  return {.report = file.rank == 0 && path && *path ? 1 : 0};
}

void report_opened(OpenFile& file) {
  if (report_wishes(*file.engine).report != 0)
    file.report_line = ReportBook::of_process().opened(so_far(file));
}

void report_call(OpenFile& file) {
  if (!file.report_line || file.report_line->id.empty()) return;
  try {
    if (file.report_renewal.due(++file.data_calls, observe::now_s()))
      ReportBook::write_open(so_far(file), *file.report_line);
  } catch (const std::bad_alloc&) {  // the line at close tells the same
  }
}

void count_independent(OpenFile& file) {
  ++file.engine->times.independent_calls;
  if (!file.queue) report_call(file);  // else the thread of collective calls does so
}

void count_by_library(OpenFile& file) {
  ++file.engine->times.library_calls;
  report_call(file);
}

void report_closed(OpenFile& file, const engine::ReportWishes& wishes) {
  if (wishes.report == 0) return;
  engine::File& engine = *file.engine;
  Remarks remarks;
  if (wishes.storage_said != 0) remarks.storage = engine.storage_remarks();
  if (wishes.schedules_said != 0) remarks.schedules = engine.schedule_remarks();
  FileSums sums = sums_of_ranks(engine);
  if (engine.rank != 0) return;
  try {
    sums.line.about = about(engine, remarks);
    ReportBook& book = ReportBook::of_process();
    book.closed(sums, file.report_line ? *file.report_line : book.opened(sums));
  } catch (const std::bad_alloc&) {  // the report keeps what it had of the file; MPI_File_close goes on
  }
}

}  // namespace collio::mpiio
