// See background_calls.hpp.
#include "mpiio/calls/background_calls.hpp"

#include "access/reserve.hpp"
#include "mpiio/calls/data_calls.hpp"
#include "mpiio/calls/library_calls.hpp"
#include "mpiio/calls/operation.hpp"
#include "mpiio/library/error_codes.hpp"
#include "mpiio/view/give_view.hpp"

namespace collio::mpiio {

namespace {

/// Where the call begins is settled now, and the individual file pointer moves on by what is requested.
void take_position(OpenFile& file, Operation& operation) {
  DataCall& call = operation.call;
  const std::scoped_lock lock(file.pointer);
  MPI_Offset offset = 0;
  operation.request = request_of(file, call, offset);
  engine::CallRequest& request = operation.request;
  std::int64_t bytes = request.memory.bytes();
  if (request.undescribed && request.error.ok()) {
    MPI_Count size = 0;
    MPI_Type_size_x(call.type, &size);
    bytes = size * call.count;
    if (call.begin == Place::here) offset = file.position(call.handle);
    MPI_Type_dup(call.type, &operation.own_type);
  }
  if (call.begin == Place::here && request.error.ok())
    file.move_to(call.handle, offset + bytes / file.engine->view.etype_bytes);
  call.offset = offset;
}

/// A split call without `request`. The call is captured: view, file pointer and datatype may change when this
/// returns. Not collective.
std::shared_ptr<Operation> post(const std::shared_ptr<OpenFile>& file, const DataCall& call,
                                MPI_Request* request) {
  const access::Reserve::Use no_list_fails;  // others begin the call
  const double begin = observe::now_s();
  engine::WorkQueue& queue = file->queue();
  auto operation = std::make_shared<Operation>(file, call);
  take_position(*file, *operation);
  std::string& name = operation->request.operation;
  name = request ? "i" + name : name + "_begin";
  operation->request.form = request ? observe::Form::nonblocking : observe::Form::split;
  operation->request.progress = queue.by_thread() ? observe::Progress::thread : observe::Progress::fiber;
  if (request) *request = operation->make_request();
  std::erase_if(file->posted, [](const auto& posted) {
    const auto old = posted.lock();
    return !old || old->done;
  });
  file->posted.push_back(operation);
  queue.post([operation, open_file = file.get()] { operation->run(*open_file); });
  operation->post_s = observe::now_s() - begin;
  return operation;
}

/// The file, when collio does its calls; null: the library does, and has been given the view. `code`: what
/// came of that.
std::shared_ptr<OpenFile> own_file(const DataCall& call, int& code) {
  auto file = find_file(call.handle);
  code = MPI_SUCCESS;
  if (!file || (file->taken_over() && file->view_described)) return file;
  if (file->program_view.installed()) return nullptr;
  file->settle();  // else an earlier call of the file may be under way on another thread
  const engine::Visit visit(*file->engine, std::string(name_of(call)));
  code = give_view(*file, visit, call.handle);
  return nullptr;
}

core::Error one_split_call_at_a_time() {
  return {core::ErrorClass::other,
          "a split collective call is under way on the file; allowed: one at a time"};
}

}  // namespace

int nonblocking(const DataCall& call, MPI_Request* request) {
  int code = MPI_SUCCESS;
  auto file = own_file(call, code);
  if (!file) return code == MPI_SUCCESS ? forward(call, Ending::request, request) : code;
  post(file, call, request);
  return MPI_SUCCESS;
}

int begin_split(const DataCall& call) {
  int code = MPI_SUCCESS;
  auto file = own_file(call, code);
  if (file && (file->split || file->library_split)) return raise(call.handle, one_split_call_at_a_time());
  if (file) {
    file->split = post(file, call, nullptr);
    return MPI_SUCCESS;
  }
  if (code == MPI_SUCCESS) code = forward(call, Ending::begin);
  if (auto known = find_file(call.handle); known && code == MPI_SUCCESS) known->library_split = true;
  return code;
}

int end_split(const DataCall& call) {
  auto file = find_file(call.handle);
  if (!file || file->library_split) {
    if (file) file->library_split = false;
    return forward_end(call);
  }
  const std::shared_ptr<Operation> operation = file->split;
  if (!operation || operation->call.direction != call.direction || operation->call.begin != call.begin)
    return raise(call.handle,
                 {core::ErrorClass::other, "no split collective call of this kind is under way on the file"});
  {
    const ProgramWaits waits({operation});
    operation->wait();
  }
  file->split.reset();
  set_status(call.status, operation->result.bytes);
  return operation->raise_error();
}

void OpenFile::settle() {
  if (!queue_so_far()) return;
  std::vector<std::shared_ptr<Operation>> operations;
  for (const auto& one : posted) operations.push_back(one.lock());
  posted.clear();
  const ProgramWaits waits(std::move(operations));
  drain();
}

}  // namespace collio::mpiio
