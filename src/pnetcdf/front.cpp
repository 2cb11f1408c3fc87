// What the engine has in place of PnetCDF's functions: the table that the preloaded library asks for.
//
// Definitions, attributes, questions and the header stay PnetCDF's; data and all posted requests are
// collio's.
#include <cstdio>

#include "capi/file.hpp"
#include "netcdf/types.hpp"
#include "observe/report_records.hpp"
#include "pnetcdf/data_calls.hpp"
#include "pnetcdf/errors.hpp"
#include "pnetcdf/library.hpp"
#include "storage/writer_mark.hpp"

namespace collio::pnetcdf {

namespace {

/// NC_WRITE
constexpr int write_mode = 0x1;

/// PnetCDF's own handle on a file writes in none of collio's calls on it.
using OneMark = storage::WriterMark::OneForAll;

int create_file(MPI_Comm comm, const char* path, int mode, MPI_Info info, int* ncid) {
  const OneMark one;
  const int code = library().create(comm, path, mode, info, ncid);
  serve_file({comm, path, info, ncid ? *ncid : 0, true, true, code});
  return code;
}

int open_file(MPI_Comm comm, const char* path, int mode, MPI_Info info, int* ncid) {
  const OneMark one;
  const int code = library().open(comm, path, mode, info, ncid);
  serve_file({comm, path, info, ncid ? *ncid : 0, (mode & write_mode) != 0, false, code});
  return code;
}

/// What is pending is cancelled, as PnetCDF does it.
int cancel_all(File& file) {
  if (file.puts.size() + file.gets.size() == 0) return netcdf::ok;
  std::printf("PnetCDF warning: %zu nonblocking get and %zu put requests still pending. Cancelling ...\n",
              file.gets.size(), file.puts.size());
  static_cast<void>(cancel(file, {all_requests, nullptr, nullptr}));
  return pending_at_close;
}

int first_of(int one, int other) { return one != netcdf::ok ? one : other; }

int close_file(int ncid) {
  File* const file = find_file(ncid);
  if (!file) return library().close(ncid);
  const int pending = cancel_all(*file);
  const int ended = end_file(ncid);
  return first_of(first_of(library().close(ncid), ended), pending);
}

int abort_file(int ncid) {
  if (File* const file = find_file(ncid)) static_cast<void>(cancel(*file, {all_requests, nullptr, nullptr}));
  const int ended = end_file(ncid);
  return first_of(library().abort(ncid), ended);
}

/// The file has come to `mode`, if PnetCDF says so.
int come_to(int ncid, Mode mode, int code) {
  File* const file = code == netcdf::ok ? find_file(ncid) : nullptr;
  if (!file) return code;
  if (mode == Mode::defining || file->mode == Mode::defining) file->layout.forget(mode == Mode::defining);
  file->mode = mode;
  return code;
}

int define_again(int ncid) { return come_to(ncid, Mode::defining, library().redef(ncid)); }
int end_definitions(int ncid) { return come_to(ncid, Mode::collective, library().enddef(ncid)); }
int end_definitions_with(int ncid, MPI_Offset head, MPI_Offset align_fixed, MPI_Offset behind_fixed,
                         MPI_Offset align_records) {
  return come_to(ncid, Mode::collective,
                 library()._enddef(ncid, head, align_fixed, behind_fixed, align_records));
}
int begin_indep_data(int ncid) { return come_to(ncid, Mode::independent, library().begin_indep_data(ncid)); }
int end_indep_data(int ncid) { return come_to(ncid, Mode::collective, library().end_indep_data(ncid)); }

int flush_file(int ncid) {
  File* const file = find_file(ncid);
  const bool flushes = file && file->writable && file->mode == Mode::collective;
  const int flushed = flushes ? code_of(capi::sync_file(file->data), false) : netcdf::ok;
  return first_of(library().sync(ncid), flushed);
}

int wait_for(int ncid, int count, int* ids, int* statuses) {
  File* const file = find_file(ncid);
  return file ? wait_alone(*file, {count, ids, statuses}) : library().wait(ncid, count, ids, statuses);
}
int wait_for_all(int ncid, int count, int* ids, int* statuses) {
  File* const file = find_file(ncid);
  return file ? wait_together(*file, {count, ids, statuses}) : library().wait_all(ncid, count, ids, statuses);
}
int cancel_requests(int ncid, int count, int* ids, int* statuses) {
  File* const file = find_file(ncid);
  return file ? cancel(*file, {count, ids, statuses}) : library().cancel(ncid, count, ids, statuses);
}
int inq_nreqs(int ncid, int* requests) {
  const File* const file = find_file(ncid);
  if (!file) return library().inq_nreqs(ncid, requests);
  if (requests) *requests = static_cast<int>(file->puts.size() + file->gets.size());
  return netcdf::ok;
}

int buffer_attach(int ncid, MPI_Offset bytes) {
  File* const file = find_file(ncid);
  if (!file) return library().buffer_attach(ncid, bytes);
  if (bytes <= 0) return null_buffer;
  if (file->buffer) return buffer_is_attached;
  file->buffer.emplace(bytes);
  return netcdf::ok;
}
int buffer_detach(int ncid) {
  File* const file = find_file(ncid);
  if (!file) return library().buffer_detach(ncid);
  if (!file->buffer) return no_buffer;
  for (const Request& put : file->puts.all())
    if (put.room >= 0) return buffer_in_use;
  file->buffer.reset();
  return netcdf::ok;
}
int inq_buffer_usage(int ncid, MPI_Offset* bytes) {
  const File* const file = find_file(ncid);
  if (!file) return library().inq_buffer_usage(ncid, bytes);
  if (!file->buffer) return no_buffer;
  if (bytes) *bytes = file->buffer->used();
  return netcdf::ok;
}
int inq_buffer_size(int ncid, MPI_Offset* bytes) {
  const File* const file = find_file(ncid);
  if (!file) return library().inq_buffer_size(ncid, bytes);
  if (!file->buffer) return no_buffer;
  if (bytes) *bytes = file->buffer->bytes();
  return netcdf::ok;
}

int inq_put_size(int ncid, MPI_Offset* bytes) {
  const File* const file = find_file(ncid);
  const int code = library().inq_put_size(ncid, bytes);
  if (code == netcdf::ok && file && bytes) *bytes += file->put_bytes;
  return code;
}
int inq_get_size(int ncid, MPI_Offset* bytes) {
  const File* const file = find_file(ncid);
  const int code = library().inq_get_size(ncid, bytes);
  if (code == netcdf::ok && file && bytes) *bytes += file->got_bytes;
  return code;
}

int data(const collio_pnetcdf_call* call, int* code) {
  File* const file = find_file(call->ncid);
  if (file) *code = data_call(*file, *call);
  return file ? 1 : 0;
}

int several(const collio_pnetcdf_calls* calls, int* code) {
  File* const file = find_file(calls->alike.ncid);
  return file && several_calls(*file, *calls, *code) ? 1 : 0;
}

void note_by_datatype(int ncid) {
  if (File* const file = find_file(ncid)) ++file->calls.by_datatype;
}

}  // namespace

}  // namespace collio::pnetcdf

extern "C" __attribute__((visibility("default"))) const collio_pnetcdf_front* collio_pnetcdf_start(
    void* (*find)(const char* name)) {
  using namespace collio::pnetcdf;
  find_library(find);
  if (!library().complete()) return nullptr;
  static const collio_pnetcdf_front table{
      .data = data,
      .several = several,
      .note_by_datatype = note_by_datatype,
      .create = create_file,
      .open = open_file,
      .close = close_file,
      .abort = abort_file,
      .redef = define_again,
      .enddef = end_definitions,
      ._enddef = end_definitions_with,
      .sync = flush_file,
      .begin_indep_data = begin_indep_data,
      .end_indep_data = end_indep_data,
      .wait = wait_for,
      .wait_all = wait_for_all,
      .cancel = cancel_requests,
      .inq_nreqs = inq_nreqs,
      .buffer_attach = buffer_attach,
      .buffer_detach = buffer_detach,
      .inq_buffer_usage = inq_buffer_usage,
      .inq_buffer_size = inq_buffer_size,
      .inq_put_size = inq_put_size,
      .inq_get_size = inq_get_size,
  };
  return &table;
}
