// See data_calls.hpp.
#include "mpiio/calls/data_calls.hpp"

#include "engine/call/call.hpp"
#include "engine/call/own_call.hpp"
#include "engine/file/same_call.hpp"
#include "mpiio/calls/library_calls.hpp"
#include "mpiio/library/error_codes.hpp"
#include "mpiio/view/give_view.hpp"

namespace collio::mpiio {

std::string_view name_of(const DataCall& call) noexcept {
  if (call.writes()) return call.begin == Place::at ? "write_at_all" : "write_all";
  return call.begin == Place::at ? "read_at_all" : "read_all";
}

namespace {

core::Error check_arguments(const DataCall& call) {
  if (call.count < 0)
    return {core::ErrorClass::argument,
            "count " + std::to_string(call.count) + " is negative; allowed: 0 and more"};
  if (call.type == MPI_DATATYPE_NULL) return {core::ErrorClass::type, "the datatype is MPI_DATATYPE_NULL"};
  if (call.begin == Place::at && call.offset < 0)
    return {core::ErrorClass::argument,
            "offset " + std::to_string(call.offset) + " is negative; allowed: 0 and more"};
  return {};
}

/// Status and file pointer: what is left to do when the bytes have moved. `end`: of what was requested, in
/// etypes; none: nothing was.
int finish(const DataCall& call, std::int64_t bytes, std::optional<MPI_Offset> end) {
  // MPI-4.0 14.4.1: the pointer moves by what was requested, also past the end of the file.
  if (call.begin == Place::here && end) real->File_seek(call.handle, *end, MPI_SEEK_SET);
  set_status(call.status, bytes);
  return MPI_SUCCESS;
}

/// The same of a call that `request` describes and that begins at `offset`, and its error.
int finish(const OpenFile& file, const DataCall& call, MPI_Offset offset, const engine::CallRequest& request,
           const engine::Completion& done) {
  std::optional<MPI_Offset> end;
  if (request.error.ok() && !request.undescribed)
    end = offset + request.memory.bytes() / file.engine->view.etype_bytes;
  const core::Error not_given = give_converted(request, done.bytes);
  const int code = finish(call, done.bytes, end);
  const core::Error& error = done.error.ok() ? not_given : done.error;
  return error.ok() ? code : raise(call.handle, error);
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
void convert(const OpenFile& file, const DataCall& call, engine::CallRequest& request) {
  auto elements = access::external32_elements(call.type);
  if (!elements) {
    request.error = {elements.error().kind, file.engine->path + ": " + elements.error().message};
    return;
  }
  // The request keeps its own until there is memory for the copy.
  request.converted = std::make_shared<const access::ConvertedMemory>(
      request.memory, std::move(elements.value()), call.writes());
  request.memory = request.converted->memory();
  core::keep_worst(request.error, request.converted->failure());
}

/// The rest of a request. Throws std::bad_alloc.
void describe(OpenFile& file, const DataCall& call, engine::CallRequest& request, MPI_Offset& offset) {
  request.error = check_arguments(call);
  // All ranks get this error, too: others may make a call that the mode allows.
  core::keep_worst(request.error, check_mode(file, call));
  if (!request.error.ok() || request.undescribed) return;
  if (call.begin == Place::here) offset = file.position(call.handle);
  request.position = offset * file.engine->view.etype_bytes;
  auto layout = access::layout_of(call.type);
  if (layout)
    request.memory = access::MemoryAccess(call.buffer, *layout.value(), call.count);
  else
    request.undescribed = true;
  core::keep_worst(request.error, request.memory.failure());
  if (const std::int64_t part = request.memory.bytes() % file.engine->view.etype_bytes; part != 0)
    request.error = {core::ErrorClass::argument,
                     std::to_string(request.memory.bytes()) + " bytes are no whole number of etypes of " +
                         std::to_string(file.engine->view.etype_bytes) + " bytes"};
  else if (call.writes() && request.memory.bytes() > 0 && file.engine->view.empty())
    request.error = {core::ErrorClass::argument,
                     "the view's filetype has no bytes: " + std::to_string(request.memory.bytes()) +
                         " bytes to write have no place"};
  if (file.converts() && request.error.ok() && !request.undescribed && request.memory.bytes() > 0)
    convert(file, call, request);
}

}  // namespace

engine::CallRequest request_of(OpenFile& file, const DataCall& call, MPI_Offset& offset) {
  engine::CallRequest request = nothing;
  request.direction = call.direction;
  request.operation = name_of(call);
  request.undescribed = !file.view_described;
  request.holes_in_view = file.holes_in_view;
  request.others_sieve = file.holes_in_view && !file.program_view.installed();
  offset = call.offset;
  try {
    describe(file, call, request, offset);
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

core::Error check_mode(const OpenFile& file, const DataCall& call) {
  if (call.writes() && !file.writes) return {core::ErrorClass::read_only, "the file was opened read-only"};
  if (!call.writes() && !file.reads) return {core::ErrorClass::access, "the file was opened write-only"};
  return {};
}

namespace {

/// Of an instance of `type`, if any number of them is one piece that begins at its address; else 0. Throws
/// std::bad_alloc.
std::int64_t bytes_in_a_row(OpenFile& file, MPI_Datatype type) {
  if (type == file.last_type) return file.last_type_bytes;
  const auto layout = access::layout_of(type);
  if (!layout || !layout.value()->straight() || layout.value()->pattern.low() != 0) return 0;
  const std::int64_t bytes = layout.value()->size();
  if (access::is_predefined(type)) {  // another one's handle may be that of another type soon
    file.last_type = type;
    file.last_type_bytes = bytes;
  }
  return bytes;
}

/// The call as one piece, where nothing stands against moving it at once; false: describe() says what there
/// is. `offset`: where it begins, in etypes.
bool is_one_piece(OpenFile& file, const DataCall& call, MPI_Offset& offset, engine::OnePiece& piece) try {
  const access::View& view = file.engine->view;
  if (!engine::moves_at_once(*file.engine, call.direction) || !file.taken_over() || !file.view_described ||
      file.converts() || !view.straight() || call.count <= 0 || call.type == MPI_DATATYPE_NULL ||
      (call.writes() ? !file.writes : !file.reads) || access::DeviceMemory::may_find_so_far())
    return false;
  std::int64_t bytes = 0, begin = 0, end = 0;
  if (__builtin_mul_overflow(bytes_in_a_row(file, call.type), call.count, &bytes) || bytes == 0) return false;
  offset = call.begin == Place::here ? file.position(call.handle) : call.offset;
  if (offset < 0 || (view.etype_bytes > 1 && bytes % view.etype_bytes != 0)) return false;
  if (__builtin_mul_overflow(offset, view.etype_bytes, &begin) ||
      __builtin_add_overflow(begin, view.first_byte(), &begin) || __builtin_add_overflow(begin, bytes, &end))
    return false;
  piece.direction = call.direction;
  piece.operation = name_of(call);
  piece.extent = {begin, bytes};
  piece.memory = static_cast<std::byte*>(call.buffer);
  piece.holes_in_view = file.holes_in_view;
  piece.timed = engine::is_timed(*file.engine, call.direction, bytes);
  // The CPU may reach a device's memory, at a crawl: calls that take the time look for a driver, too.
  return !piece.timed || !access::DeviceMemory::may_find();
} catch (const std::bad_alloc&) {
  return false;
}

}  // namespace

int collective(const DataCall& call) {
  OpenFile* const file = file_of_call(call.handle);
  if (!file) return forward(call);
  file->settle();
  MPI_Offset offset = 0;
  engine::OnePiece piece;
  if (is_one_piece(*file, call, offset, piece) && engine::unmet_piece(*file->engine, piece)) {
    if (piece.timed) file->note_call();
    const std::int64_t bytes = piece.extent.length;
    return finish(call, bytes, offset + bytes / file->engine->view.etype_bytes);
  }
  const auto by_library = [&] {
    const std::string name(name_of(call));
    const engine::Visit visit(*file->engine, name, call.direction);
    if (const core::Error error = engine::check_same_data_call(visit, name); !error.ok())
      return raise(call.handle, error);
    const int rc = give_view(*file, visit, call.handle);
    return rc == MPI_SUCCESS ? forward(call) : rc;
  };
  if (!file->taken_over()) {
    file->note_by_library();
    return by_library();
  }
  engine::CallRequest request = request_of(*file, call, offset);
  request.may_go_unmet = file->view_described;
  const engine::Completion done = engine::collective_call(*file->engine, request);
  file->note_call();
  return done.native ? by_library() : finish(*file, call, offset, request, done);
}

int independent(OpenFile& file, const DataCall& call) {
  MPI_Offset offset = 0;
  engine::CallRequest request = request_of(file, call, offset);
  request.may_sieve = !file.queue_so_far() || file.queue_so_far()->idle();
  return finish(file, call, offset, request, engine::independent_call(*file.engine, request));
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

int independent_at_once(OpenFile& file, DataCall call, MPI_Request* request) {
  MPI_Status status;
  call.status = &status;
  const int rc = independent(file, call);
  if (rc != MPI_SUCCESS) return rc;
  MPI_Count bytes = 0;
  MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  MPI_Grequest_start(query_done, free_done, cancel_done, new std::int64_t(bytes), request);
  MPI_Grequest_complete(*request);
  return MPI_SUCCESS;
}

}  // namespace collio::mpiio
