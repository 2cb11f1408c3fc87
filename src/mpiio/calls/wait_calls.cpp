// See wait_calls.hpp.
#include "mpiio/calls/wait_calls.hpp"

#include "core/index.hpp"
#include "engine/background/work_queue.hpp"
#include "mpiio/calls/operation.hpp"

namespace collio::mpiio {

namespace {

/// Collio's operations among the requests of one call, looked up before the library completes and forgets
/// them.
class OwnOperations {
 public:
  OwnOperations(int count, const MPI_Request* requests)
      : operations_(operations_of(count, requests)), waits_(operations_) {
    for (const auto& operation : operations_) any_ = any_ || operation;
  }
  [[nodiscard]] bool any() const noexcept { return any_; }

  void wait_for_all() const {
    for (const auto& operation : operations_)
      if (operation) operation->wait();
  }

  /// `code`, or the error of operation `index`, which the library has completed without one. MPI_UNDEFINED:
  /// none was.
  [[nodiscard]] int after_one(int code, int index) const {
    if (code != MPI_SUCCESS || index == MPI_UNDEFINED || !operations_[core::at(index)]) return code;
    return operations_[core::at(index)]->raise_error();
  }

  /// The same where several were completed: statuses[k] is that of operation at(k), for k < count.
  template <class At>
  [[nodiscard]] int after_several(int code, int count, MPI_Status* statuses, At&& at) const {
    if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) return code;
    bool any_failed = false;
    for (int k = 0; k < count; ++k) {
      const auto& operation = operations_[core::at(at(k))];
      const int error = operation ? operation->raise_error() : MPI_SUCCESS;
      any_failed = any_failed || error != MPI_SUCCESS;
      const bool known = code == MPI_ERR_IN_STATUS && error == MPI_SUCCESS;
      if (statuses != MPI_STATUSES_IGNORE && !known) errors_.push_back({k, error});
    }
    if (any_failed)
      for (const auto& [k, error] : errors_) statuses[k].MPI_ERROR = error;
    return any_failed ? MPI_ERR_IN_STATUS : code;
  }

 private:
  std::vector<std::shared_ptr<Operation>> operations_;
  ProgramWaits waits_;
  bool any_ = false;
  /// index of a status, its error
  mutable std::vector<std::pair<int, int>> errors_;
};

const collio_waits& library() { return *shim->waits; }

int wait(MPI_Request* request, MPI_Status* status) {
  const OwnOperations own(1, request);
  own.wait_for_all();
  if (!engine::steps_needed()) return own.after_one(library().Wait(request, status), 0);
  int code = MPI_SUCCESS, flag = 0;
  engine::step_until([&] { return (code = library().Test(request, &flag, status)) != MPI_SUCCESS || flag; });
  return own.after_one(code, 0);
}

int waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  const OwnOperations own(count, requests);
  int code = MPI_SUCCESS, flag = 0;
  if (!engine::steps_needed()) {
    own.wait_for_all();
    code = library().Waitall(count, requests, statuses);
  } else {
    engine::step_until(
        [&] { return (code = library().Testall(count, requests, &flag, statuses)) != MPI_SUCCESS || flag; });
  }
  return own.after_several(code, count, statuses, [](int k) { return k; });
}

int waitany(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  const OwnOperations own(count, requests);
  if (!own.any() && !engine::steps_needed()) return library().Waitany(count, requests, index, status);
  int code = MPI_SUCCESS, flag = 0;
  engine::step_until([&] {
    return (code = library().Testany(count, requests, index, &flag, status)) != MPI_SUCCESS || flag;
  });
  return own.after_one(code, *index);
}

int waitsome(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  const OwnOperations own(count, requests);
  if (!own.any() && !engine::steps_needed())
    return library().Waitsome(count, requests, done, indices, statuses);
  int code = MPI_SUCCESS;
  engine::step_until([&] {
    return (code = library().Testsome(count, requests, done, indices, statuses)) != MPI_SUCCESS || *done != 0;
  });
  return own.after_several(code, *done == MPI_UNDEFINED ? 0 : *done, statuses,
                           [&](int k) { return indices[k]; });
}

int test(MPI_Request* request, int* flag, MPI_Status* status) {
  const OwnOperations own(1, request);
  engine::step_all_queues();
  const int code = library().Test(request, flag, status);
  return own.after_one(code, *flag ? 0 : MPI_UNDEFINED);
}

int testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  const OwnOperations own(count, requests);
  engine::step_all_queues();
  const int code = library().Testall(count, requests, flag, statuses);
  return own.after_several(code, *flag ? count : 0, statuses, [](int k) { return k; });
}

int testany(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  const OwnOperations own(count, requests);
  engine::step_all_queues();
  const int code = library().Testany(count, requests, index, flag, status);
  return own.after_one(code, *flag ? *index : MPI_UNDEFINED);
}

int testsome(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  const OwnOperations own(count, requests);
  engine::step_all_queues();
  const int code = library().Testsome(count, requests, done, indices, statuses);
  return own.after_several(code, *done == MPI_UNDEFINED ? 0 : *done, statuses,
                           [&](int k) { return indices[k]; });
}

int request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  engine::step_all_queues();
  return library().Request_get_status(request, flag, status);
}

// The library's, if it has them; a program that calls them has found them somewhere.
int request_get_status_all(int count, const MPI_Request* requests, int* flag, MPI_Status* statuses) {
  engine::step_all_queues();
  return library().Request_get_status_all ? library().Request_get_status_all(count, requests, flag, statuses)
                                          : MPI_ERR_OTHER;
}

int request_get_status_any(int count, const MPI_Request* requests, int* index, int* flag,
                           MPI_Status* status) {
  engine::step_all_queues();
  return library().Request_get_status_any
             ? library().Request_get_status_any(count, requests, index, flag, status)
             : MPI_ERR_OTHER;
}

int request_get_status_some(int count, const MPI_Request* requests, int* done, int* indices,
                            MPI_Status* statuses) {
  engine::step_all_queues();
  return library().Request_get_status_some
             ? library().Request_get_status_some(count, requests, done, indices, statuses)
             : MPI_ERR_OTHER;
}

}  // namespace

collio_waits make_waits() {
  return {wait,
          waitall,
          waitany,
          waitsome,
          test,
          testall,
          testany,
          testsome,
          request_get_status,
          request_get_status_all,
          request_get_status_any,
          request_get_status_some};
}

}  // namespace collio::mpiio
