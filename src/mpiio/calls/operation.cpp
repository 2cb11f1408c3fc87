// See operation.hpp.
//
// The request's functions never fail: an error of a generalized request would go to MPI_COMM_WORLD's error
// handler, which ends the program unless it was changed. Errors are raised on the file by the functions that
// complete requests (wait_calls.cpp).
#include "mpiio/calls/operation.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "mpiio/calls/library_calls.hpp"
#include "mpiio/library/error_codes.hpp"
#include "mpiio/view/give_view.hpp"

namespace collio::mpiio {

namespace {

std::atomic<int> pending{0};
static_assert(sizeof pending == sizeof(int) && std::atomic<int>::is_always_lock_free);

struct Requests {
  /// never held while MPI is called
  std::mutex mutex;
  std::map<MPI_Request, std::shared_ptr<Operation>> operations;
};

Requests& open_requests() {
  static auto* r = new Requests;
  return *r;
}

int query(void* state, MPI_Status* status) {
  const Operation& operation = **static_cast<std::shared_ptr<Operation>*>(state);
  set_status(status, operation.done ? operation.result.bytes : 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int release(void* state) {
  // It may end here, and then calls MPI no more; but not under the lock.
  const std::unique_ptr<std::shared_ptr<Operation>> operation(
      static_cast<std::shared_ptr<Operation>*>(state));
  Requests& r = open_requests();
  std::shared_ptr<Operation> forgotten;
  const std::scoped_lock lock(r.mutex);
  if (auto node = r.operations.extract((*operation)->handle)) forgotten = std::move(node.mapped());
  return MPI_SUCCESS;
}

int cancel(void*, int) { return MPI_SUCCESS; }  // too late: MPI does not allow it either

/// A call as plain bytes, in the program's memory if they are one piece there, else in `staging`.
void give_as_bytes(DataCall& call, const access::MemoryAccess& memory, access::Buffer& staging) {
  call.count = memory.bytes();
  call.type = MPI_BYTE;
  if (memory.contiguous()) {
    call.buffer = memory.at(0);
    return;
  }
  staging = access::Buffer(static_cast<std::size_t>(memory.bytes()));
  if (call.writes()) memory.gather(0, memory.bytes(), staging.data());
  call.buffer = staging.data();
}

/// give_view() while the program goes on, and may post calls that move the file pointer. No lock is held
/// while ranks wait for each other: the program's next call may come on this thread. Collective.
int give_view_meanwhile(OpenFile& file, const engine::Ranks& ranks, MPI_File handle) {
  {
    const std::scoped_lock lock(file.pointer);
    file.pointer_meanwhile = file.position(handle);
  }
  const int code = give_view(file, ranks, handle);
  const std::scoped_lock lock(file.pointer);
  const MPI_Offset moved_to = *file.pointer_meanwhile;
  file.pointer_meanwhile.reset();
  file.move_to(handle, moved_to);
  return code;
}

/// The MPI library's own call, through the program's view. What collio can describe goes as plain bytes: the
/// program may have freed the datatype since. Collective.
void let_library(OpenFile& file, Operation& operation) {
  const engine::Visit visit(*file.engine, operation.request.operation, operation.request.direction);
  MPI_Status status;
  DataCall call = operation.call;
  call.begin = Place::at;
  call.status = &status;
  const access::MemoryAccess& memory = operation.request.memory;
  access::Buffer staging;
  if (operation.own_type != MPI_DATATYPE_NULL)
    call.type = operation.own_type;
  else
    give_as_bytes(call, memory, staging);
  operation.library_code = give_view_meanwhile(file, visit, call.handle);
  if (operation.library_code == MPI_SUCCESS) operation.library_code = forward(call);
  MPI_Count bytes = 0;
  if (operation.library_code == MPI_SUCCESS) MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  if (staging && !call.writes() && bytes > 0) memory.scatter(0, bytes, staging.data());
  operation.result.bytes = bytes;
  operation.result.error =
      visit.agreement.worst(memory.failure(), "cannot copy from or to its device memory");
}

}  // namespace

Operation::Operation(const std::shared_ptr<OpenFile>& of, const DataCall& what) : file(of), call(what) {
  ++pending;
}

Operation::~Operation() {
  --pending;
  const auto open_file = file.lock();
  if (!open_file || !result.record) return;
  open_file->engine->records.log.note(*result.record, {post_s, waited_s, std::max(0.0, busy_s - waited_s)});
}

MPI_Request Operation::make_request() {
  auto* state = new std::shared_ptr<Operation>(shared_from_this());  // release() frees it
  MPI_Grequest_start(query, release, cancel, state, &handle);
  Requests& r = open_requests();
  const std::scoped_lock lock(r.mutex);
  r.operations[handle] = *state;
  return handle;
}

void Operation::run(OpenFile& open_file) {
  const double begin = observe::now_s();
  result = engine::collective_call(*open_file.engine, request);
  open_file.note_call();
  if (result.native) let_library(open_file, *this);
  core::keep_worst(result.error, give_converted(request, result.bytes));
  if (own_type != MPI_DATATYPE_NULL) MPI_Type_free(&own_type);
  end_s = observe::now_s();
  busy_s = end_s - begin;
  const MPI_Request complete = handle;
  done = true;  // first: who finds the request complete reads the result
  if (complete != MPI_REQUEST_NULL) MPI_Grequest_complete(complete);
  completed = true;
  completed.notify_all();
}

void Operation::wait() {
  const auto open_file = file.lock();
  if (completed || !open_file) return;
  if (open_file->queue().by_thread())
    completed.wait(false);
  else
    open_file->queue().run_until([this] { return completed.load(); });
}

int Operation::raise_error() const {
  if (!failed()) return MPI_SUCCESS;
  if (library_code != MPI_SUCCESS) return library_code;  // the library has called the handler
  return file.expired() ? error_code(result.error) : raise(call.handle, result.error);
}

const int* pending_operations() { return reinterpret_cast<const int*>(&pending); }

std::vector<std::shared_ptr<Operation>> operations_of(int count, const MPI_Request* requests) {
  std::vector<std::shared_ptr<Operation>> found(static_cast<std::size_t>(std::max(count, 0)));
  Requests& r = open_requests();
  const std::scoped_lock lock(r.mutex);
  if (r.operations.empty()) return found;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (const auto own = r.operations.find(requests[i]); own != r.operations.end()) found[i] = own->second;
  return found;
}

ProgramWaits::ProgramWaits(std::vector<std::shared_ptr<Operation>> operations)
    : operations_(std::move(operations)), begin_s_(observe::now_s()) {
  std::erase_if(operations_, [](const auto& operation) { return !operation || operation->done; });
}

ProgramWaits::~ProgramWaits() {
  const double now = observe::now_s();
  for (const auto& operation : operations_)
    operation->waited_s += std::max(0.0, (operation->done ? operation->end_s : now) - begin_s_);
}

}  // namespace collio::mpiio
