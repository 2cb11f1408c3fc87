// A collective call in atomic mode, on a file that collio alone serves.
//
// Each rank moves its own bytes under a lock on its span: overlapping accesses of a call then come one after
// the other, which an exchange by windows does not promise.
#include "engine/call/call.hpp"
#include "engine/file/same_call.hpp"

namespace collio::engine {

Completion atomic_call(File& file, const CallRequest& request) {
  const Visit visit(file, request.operation, request.direction);
  if (core::Error error = check_same_data_call(visit, request.operation); !error.ok())
    return Completion::failed(std::move(error));
  Completion done = independent_call(file, request);
  done.error = visit.agreement.worst(done.error, "failed in " + request.operation);
  return done;
}

}  // namespace collio::engine
