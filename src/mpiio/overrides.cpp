// The MPI_File_* calls as collio does them. Every function either takes the call over on all ranks or
// forwards it on all ranks; what decides is known alike to all (the file's mode, its view's representation,
// the agreed digest).
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "engine/call.hpp"
#include "mpiio/calls.h"
#include "mpiio/error_codes.hpp"
#include "mpiio/info.hpp"
#include "mpiio/open_files.hpp"
#include "mpiio/report.hpp"

namespace collio::mpiio {

namespace {

const collio_calls* real = nullptr;

void say(const engine::File& file) {
  if (file.rank != 0) return;
  for (const std::string& warning : file.hints.warnings) std::fprintf(stderr, "collio: %s\n", warning.c_str());
  const char* verbose = std::getenv("COLLIO_VERBOSE");
  if (verbose && std::strcmp(verbose, "0") != 0)
    std::fprintf(stderr, "collio: %s: %zu aggregators, windows of %lld bytes, %s storage\n", file.path.c_str(),
                 file.aggregators.size(), static_cast<long long>(file.hints.window_bytes),
                 file.machine.storage.name.c_str());
}

/// Takes the file over on all ranks, or on none.
void take_over(const engine::OpenRequest& request, MPI_File handle) {
  auto opened = engine::File::open(request);
  if (!opened) {
    int rank = 0;
    MPI_Comm_rank(request.comm, &rank);
    if (rank == 0 && !opened.error().message.empty())
      std::fprintf(stderr, "collio: left to the MPI library: %s\n", opened.error().message.c_str());
    return;
  }
  if (!opened.value()) return;  // disabled by hint
  auto file = std::make_shared<OpenFile>();
  file->engine = std::move(opened.value());
  file->reads = request.reads;
  file->writes = request.writes;
  say(*file->engine);
  remember_file(handle, std::move(file));
}

int open(MPI_Comm comm, const char* path, int mode, MPI_Info info, MPI_File* handle) {
  const Pairs environment = environment_hints();
  MPI_Info merged = merged_info(info, environment);
  const int rc = real->File_open(comm, path, mode, merged, handle);
  MPI_Info_free(&merged);
  int inter = 0;
  if (rc == MPI_SUCCESS) MPI_Comm_test_inter(comm, &inter);
  if (rc != MPI_SUCCESS || inter || (mode & MPI_MODE_SEQUENTIAL)) return rc;
  engine::OpenRequest request{comm, path, !(mode & MPI_MODE_WRONLY), !(mode & MPI_MODE_RDONLY), pairs_of(info)};
  for (const auto& [key, value] : environment) request.hints[key] = value;
  take_over(request, *handle);
  return rc;
}

int close(MPI_File* handle) {
  if (auto file = forget_file(*handle)) write_report(*file->engine);
  return real->File_close(handle);
}

int set_view(MPI_File handle, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
             const char* representation, MPI_Info info) {
  const int rc = real->File_set_view(handle, displacement, etype, filetype, representation, info);
  auto file = find_file(handle);
  if (rc != MPI_SUCCESS || !file) return rc;
  file->foreign_data = std::strcmp(representation, "native") != 0;
  file->view_described = false;
  if (file->foreign_data) return rc;
  auto etype_layout = access::layout_of(etype);
  auto filetype_layout = access::layout_of(filetype);
  if (!etype_layout || !filetype_layout) return rc;
  access::View& view = file->engine->view;
  view = {displacement, etype_layout.value()->size(), filetype_layout.value()};
  file->view_described = view.usable();
  return rc;
}

int get_info(MPI_File handle, MPI_Info* info) {
  const int rc = real->File_get_info(handle, info);
  if (auto file = find_file(handle); file && rc == MPI_SUCCESS) put_in_force(*file->engine, *info);
  return rc;
}

int set_atomicity(MPI_File handle, int flag) {
  const int rc = real->File_set_atomicity(handle, flag);
  if (auto file = find_file(handle); file && rc == MPI_SUCCESS) file->atomic = flag != 0;
  return rc;
}

int sync(MPI_File handle) {
  const int rc = real->File_sync(handle);
  auto file = find_file(handle);
  if (!file) return rc;
  engine::File& f = *file->engine;
  const core::Error error = f.agreement->worst(f.sync(), "cannot flush " + f.path);
  return error.ok() || rc != MPI_SUCCESS ? rc : raise(handle, error);
}

/// A data call as the program made it. `offset` in etypes; used when `explicit_offset`.
struct DataCall {
  MPI_File handle;
  bool write, explicit_offset;
  MPI_Offset offset;
  void* buffer;
  MPI_Count count;
  MPI_Datatype type;
  MPI_Status* status;

  [[nodiscard]] const char* name() const noexcept {
    if (explicit_offset) return write ? "write_at_all" : "read_at_all";
    return write ? "write_all" : "read_all";
  }
};

/// The MPI library's own call. Without large-count functions, a large count becomes one instance of a type.
int forward(const DataCall& c) {
  MPI_Datatype type = c.type;
  MPI_Count count = c.count;
  if (count <= INT_MAX) {
    const int n = static_cast<int>(count);
    if (c.write)
      return c.explicit_offset ? real->File_write_at_all(c.handle, c.offset, c.buffer, n, type, c.status)
                               : real->File_write_all(c.handle, c.buffer, n, type, c.status);
    return c.explicit_offset ? real->File_read_at_all(c.handle, c.offset, c.buffer, n, type, c.status)
                             : real->File_read_all(c.handle, c.buffer, n, type, c.status);
  }
  if (real->File_write_all_c) {
    if (c.write)
      return c.explicit_offset ? real->File_write_at_all_c(c.handle, c.offset, c.buffer, count, type, c.status)
                               : real->File_write_all_c(c.handle, c.buffer, count, type, c.status);
    return c.explicit_offset ? real->File_read_at_all_c(c.handle, c.offset, c.buffer, count, type, c.status)
                             : real->File_read_all_c(c.handle, c.buffer, count, type, c.status);
  }
  return raise(c.handle, {core::ErrorClass::argument,
                          "count " + std::to_string(count) + " is beyond what this MPI library's own calls take (" +
                              std::to_string(INT_MAX) + ")"});
}

core::Error check_arguments(const DataCall& c) {
  if (c.count < 0)
    return {core::ErrorClass::argument, "count " + std::to_string(c.count) + " is negative; allowed: 0 and more"};
  if (c.type == MPI_DATATYPE_NULL) return {core::ErrorClass::type, "the datatype is MPI_DATATYPE_NULL"};
  if (c.explicit_offset && c.offset < 0)
    return {core::ErrorClass::argument, "offset " + std::to_string(c.offset) + " is negative; allowed: 0 and more"};
  return {};
}

void set_status(MPI_Status* status, std::int64_t bytes) {
  if (status == MPI_STATUS_IGNORE) return;
  MPI_Status_set_elements_x(status, MPI_BYTE, bytes);
  MPI_Status_set_cancelled(status, 0);
}

int transfer(const DataCall& c) {
  auto file = find_file(c.handle);
  if (!file || !file->takes(c.write)) return forward(c);
  engine::File& f = *file->engine;
  engine::CallRequest request;
  request.direction = c.write ? policy::Direction::write : policy::Direction::read;
  request.operation = c.name();
  request.error = check_arguments(c);
  request.undescribed = !file->view_described;
  MPI_Offset offset = c.offset;
  if (request.error.ok()) {
    if (!c.explicit_offset) MPI_File_get_position(c.handle, &offset);
    auto layout = access::layout_of(c.type);
    if (layout)
      request.memory = access::MemoryAccess(c.buffer, *layout.value(), c.count);
    else
      request.undescribed = true;
  }
  request.position = offset * f.view.etype_bytes;
  const engine::Completion done = engine::collective_call(f, request);
  if (done.native) return forward(c);
  // MPI-4.0 14.4.1: the pointer moves by what was requested, also past the end of the file.
  if (!c.explicit_offset && request.error.ok())
    MPI_File_seek(c.handle, offset + request.memory.bytes() / f.view.etype_bytes, MPI_SEEK_SET);
  set_status(c.status, done.bytes);
  return done.error.ok() ? MPI_SUCCESS : raise(c.handle, done.error);
}

int write_all_c(MPI_File file, const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Status* status) {
  return transfer({file, true, false, 0, const_cast<void*>(buffer), count, type, status});
}
int write_at_all_c(MPI_File file, MPI_Offset offset, const void* buffer, MPI_Count count, MPI_Datatype type,
                   MPI_Status* status) {
  return transfer({file, true, true, offset, const_cast<void*>(buffer), count, type, status});
}
int read_all_c(MPI_File file, void* buffer, MPI_Count count, MPI_Datatype type, MPI_Status* status) {
  return transfer({file, false, false, 0, buffer, count, type, status});
}
int read_at_all_c(MPI_File file, MPI_Offset offset, void* buffer, MPI_Count count, MPI_Datatype type,
                  MPI_Status* status) {
  return transfer({file, false, true, offset, buffer, count, type, status});
}
int write_all(MPI_File file, const void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
  return write_all_c(file, buffer, count, type, status);
}
int write_at_all(MPI_File file, MPI_Offset offset, const void* buffer, int count, MPI_Datatype type,
                 MPI_Status* status) {
  return write_at_all_c(file, offset, buffer, count, type, status);
}
int read_all(MPI_File file, void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
  return read_all_c(file, buffer, count, type, status);
}
int read_at_all(MPI_File file, MPI_Offset offset, void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
  return read_at_all_c(file, offset, buffer, count, type, status);
}

const collio_calls overrides{open,        close,          set_view,   get_info,       set_atomicity,
                             sync,        write_all,      write_at_all, read_all,     read_at_all,
                             write_all_c, write_at_all_c, read_all_c, read_at_all_c};

}  // namespace

}  // namespace collio::mpiio

extern "C" __attribute__((visibility("default"))) const collio_calls* collio_engine_start(const collio_calls* calls) {
  collio::mpiio::real = calls;
  return &collio::mpiio::overrides;
}
