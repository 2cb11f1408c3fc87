// See data_calls.hpp.
#include "mpiio/calls/data_calls.hpp"

#include "engine/call/call.hpp"
#include "engine/file/same_call.hpp"
#include "mpiio/calls/library_calls.hpp"
#include "mpiio/library/error_codes.hpp"
#include "mpiio/view/give_view.hpp"

namespace collio::mpiio {

std::string name_of(const DataCall& c) {
  return std::string(c.writes() ? "write" : "read") + (c.begin == Place::at ? "_at_all" : "_all");
}

namespace {

core::Error check_arguments(const DataCall& c) {
  if (c.count < 0)
    return {core::ErrorClass::argument,
            "count " + std::to_string(c.count) + " is negative; allowed: 0 and more"};
  if (c.type == MPI_DATATYPE_NULL) return {core::ErrorClass::type, "the datatype is MPI_DATATYPE_NULL"};
  if (c.begin == Place::at && c.offset < 0)
    return {core::ErrorClass::argument,
            "offset " + std::to_string(c.offset) + " is negative; allowed: 0 and more"};
  return {};
}

/// Status, file pointer, error: what is left to do when the bytes have moved.
int finish(OpenFile& file, const DataCall& c, MPI_Offset offset, const engine::CallRequest& request,
           const engine::Completion& done) {
  // MPI-4.0 14.4.1: the pointer moves by what was requested, also past the end of the file.
  if (c.begin == Place::here && request.error.ok() && !request.undescribed)
    real->File_seek(c.handle, offset + request.memory.bytes() / file.engine->view.etype_bytes, MPI_SEEK_SET);
  set_status(c.status, done.bytes);
  const core::Error not_given = give_converted(request, done.bytes);
  if (!done.error.ok()) return raise(c.handle, done.error);  // no copy: there may be no memory for its text
  return not_given.ok() ? MPI_SUCCESS : raise(c.handle, not_given);
}

}  // namespace

void set_status(MPI_Status* status, std::int64_t bytes) {
  if (status == MPI_STATUS_IGNORE) return;
  MPI_Status_set_elements_x(status, MPI_BYTE, bytes);
  MPI_Status_set_cancelled(status, 0);
}

namespace {

/// A rank without memory takes part all the same: made when there was some, and copied without any. So are
/// texts as short as this one.
const engine::CallRequest nothing;
const core::Error without_memory{core::ErrorClass::no_memory, "no memory"};

/// The engine moves a copy of the data in external32. Throws std::bad_alloc.
void convert(const OpenFile& file, const DataCall& c, engine::CallRequest& request) {
  auto elements = access::external32_elements(c.type);
  if (!elements) {
    request.error = {elements.error().kind, file.engine->path + ": " + elements.error().message};
    return;
  }
  // The request keeps its own until there is memory for the copy.
  request.converted = std::make_shared<const access::ConvertedMemory>(
      request.memory, std::move(elements.value()), c.writes());
  request.memory = request.converted->memory();
  core::keep_worst(request.error, request.converted->failure());
}

/// The rest of a request. Throws std::bad_alloc.
void describe(OpenFile& file, const DataCall& c, engine::CallRequest& request, MPI_Offset& offset) {
  request.error = check_arguments(c);
  core::keep_worst(request.error,
                   check_mode(file, c));  // told to all: others may make a call that the mode allows
  if (!request.error.ok() || request.undescribed) return;
  if (c.begin == Place::here) offset = file.position(c.handle);
  request.position = offset * file.engine->view.etype_bytes;
  auto layout = access::layout_of(c.type);
  if (layout)
    request.memory = access::MemoryAccess(c.buffer, *layout.value(), c.count);
  else
    request.undescribed = true;
  core::keep_worst(request.error, request.memory.failure());
  if (const std::int64_t part = request.memory.bytes() % file.engine->view.etype_bytes; part != 0)
    request.error = {core::ErrorClass::argument,
                     std::to_string(request.memory.bytes()) + " bytes are no whole number of etypes of " +
                         std::to_string(file.engine->view.etype_bytes) + " bytes"};
  else if (c.writes() && request.memory.bytes() > 0 && file.engine->view.empty())
    request.error = {core::ErrorClass::argument,
                     "the view's filetype has no bytes: " + std::to_string(request.memory.bytes()) +
                         " bytes to write have no place"};
  if (file.converts() && request.error.ok() && !request.undescribed && request.memory.bytes() > 0)
    convert(file, c, request);
}

}  // namespace

engine::CallRequest request_of(OpenFile& file, const DataCall& c, MPI_Offset& offset) {
  engine::CallRequest request = nothing;
  request.direction = c.direction;
  request.operation = name_of(c);
  request.undescribed = !file.view_described;
  request.holes_in_view = file.holes_in_view;
  request.others_sieve = file.holes_in_view && !file.program_view.installed();
  offset = c.offset;
  try {
    describe(file, c, request, offset);
  } catch (const std::bad_alloc&) {
    request.error = without_memory;
  }
  return request;
}

core::Error give_converted(const engine::CallRequest& request, std::int64_t bytes) {
  if (!request.converted || request.direction == policy::Direction::write || bytes <= 0) return {};
  request.converted->give_back(bytes);
  return request.converted->failure();
}

core::Error check_mode(const OpenFile& file, const DataCall& c) {
  if (c.writes() && !file.writes) return {core::ErrorClass::read_only, "the file was opened read-only"};
  if (!c.writes() && !file.reads) return {core::ErrorClass::access, "the file was opened write-only"};
  return {};
}

int collective(const DataCall& c) {
  auto file = find_file(c.handle);
  if (!file) return forward(c);
  file->settle();
  const auto by_library = [&] {
    const engine::Visit visit(*file->engine, name_of(c), c.direction);
    if (const core::Error error = engine::check_same_data_call(visit, name_of(c)); !error.ok())
      return raise(c.handle, error);
    const int rc = give_view(*file, visit, c.handle);
    return rc == MPI_SUCCESS ? forward(c) : rc;
  };
  if (!file->taken_over()) {
    file->note_by_library();
    return by_library();
  }
  MPI_Offset offset = 0;
  engine::CallRequest request = request_of(*file, c, offset);
  request.may_go_unmet = file->view_described;
  const engine::Completion done = engine::collective_call(*file->engine, request);
  file->note_call();
  return done.native ? by_library() : finish(*file, c, offset, request, done);
}

int independent(OpenFile& file, const DataCall& c) {
  MPI_Offset offset = 0;
  engine::CallRequest request = request_of(file, c, offset);
  request.may_sieve = !file.queue_so_far() || file.queue_so_far()->idle();
  return finish(file, c, offset, request, engine::independent_call(*file.engine, request));
}

namespace {

int query_done(void* state, MPI_Status* status) {
  set_status(status, *static_cast<std::int64_t*>(state));
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
int free_done(void* state) {
  delete static_cast<std::int64_t*>(state);
  return MPI_SUCCESS;
}
int cancel_done(void*, int) { return MPI_SUCCESS; }

}  // namespace

int independent_at_once(OpenFile& file, DataCall c, MPI_Request* request) {
  MPI_Status status;
  c.status = &status;
  const int rc = independent(file, c);
  if (rc != MPI_SUCCESS) return rc;
  MPI_Count bytes = 0;
  MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  MPI_Grequest_start(query_done, free_done, cancel_done, new std::int64_t(bytes), request);
  MPI_Grequest_complete(*request);
  return MPI_SUCCESS;
}

}  // namespace collio::mpiio
