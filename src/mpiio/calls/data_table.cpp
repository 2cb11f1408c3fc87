// See data_table.hpp.
#include "mpiio/calls/data_table.hpp"

#include "mpiio/calls/background_calls.hpp"
#include "mpiio/calls/data_calls.hpp"
#include "mpiio/calls/independent_calls.hpp"
#include "mpiio/library/error_codes.hpp"
#include "transport/waiting/mpi_library.hpp"

// What the columns of data_calls.def are in a DataCall.
#define COLLIO_OFFSET_here 0
#define COLLIO_OFFSET_at offset
#define COLLIO_STATUS_blocking status
#define COLLIO_STATUS_request nullptr
#define COLLIO_STATUS_begin nullptr
#define COLLIO_REQUEST_blocking
#define COLLIO_REQUEST_request , request
#define COLLIO_REQUEST_begin
#define COLLIO_FUNCTION_blocking collective
#define COLLIO_FUNCTION_request nonblocking
#define COLLIO_FUNCTION_begin begin_split

/// Of the parameters that COLLIO_PARAMETERS names.
#define COLLIO_DATA_CALL(way, place, ending)                                                             \
  DataCall {                                                                                             \
    file, policy::Direction::way, Place::place, COLLIO_OFFSET_##place, const_cast<void*>(buffer), count, \
        type, COLLIO_STATUS_##ending                                                                     \
  }

namespace collio::mpiio {

namespace {

int do_alone(OpenFile& file, const DataCall& call) { return independent(file, call); }
int do_alone(OpenFile& file, const DataCall& call, MPI_Request* request) {
  return independent_at_once(file, call, request);
}

/// `request`: of a nonblocking call. `by_library`: the MPI library's own call.
template <class ByLibrary, class... Request>
int alone(const ByLibrary& by_library, const DataCall& call, Request... request) {
  if (call.writes() && (sizeof...(request) > 0 || transport::any_thread_may_call()))
    if (const core::Error error = writes_beside(call.handle); !error.ok()) return raise(call.handle, error);
  if (auto own = own_independent(call.handle)) return do_alone(*own, call, request...);
  return by_library();
}

}  // namespace

void put_data_calls(collio_calls& t) {
#define TOGETHER(name, way, place, ending, Count)                                                  \
  t.name = [] COLLIO_PARAMETERS(way, place, ending, Count) -> int {                                \
    return COLLIO_FUNCTION_##ending(COLLIO_DATA_CALL(way, place, ending) COLLIO_REQUEST_##ending); \
  };
#define COLLIO_TOGETHER(name, way, place, ending) \
  TOGETHER(name, way, place, ending, int)         \
  TOGETHER(name##_c, way, place, ending, MPI_Count)
#define COLLIO_TOGETHER_END(name, way, place)                                                             \
  t.name = [] COLLIO_END_PARAMETERS(way) -> int {                                                         \
    return end_split(                                                                                     \
        {file, policy::Direction::way, Place::place, 0, const_cast<void*>(buffer), 0, MPI_BYTE, status}); \
  };
#define ALONE(name, way, place, ending, Count)                                    \
  if (t.name)                                                                     \
    t.name = [] COLLIO_PARAMETERS(way, place, ending, Count) -> int {             \
      return alone([&] { return real->name COLLIO_ARGUMENTS(place, ending); },    \
                   COLLIO_DATA_CALL(way, place, ending) COLLIO_REQUEST_##ending); \
    };
#define COLLIO_ALONE(name, way, place, ending) \
  ALONE(name, way, place, ending, int)         \
  ALONE(name##_c, way, place, ending, MPI_Count)
#include "mpiio/shim/data_calls.def"
#undef TOGETHER
#undef ALONE
}

}  // namespace collio::mpiio
