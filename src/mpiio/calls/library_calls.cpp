// See library_calls.hpp.
#include "mpiio/calls/library_calls.hpp"

#include <climits>

#include "mpiio/library/error_codes.hpp"

namespace collio::mpiio {

namespace {

int refuse_large(const DataCall& call) {
  return raise(call.handle,
               {core::ErrorClass::argument, "count " + std::to_string(call.count) +
                                                " is beyond what this MPI library's own calls take (" +
                                                std::to_string(INT_MAX) + ")"});
}

}  // namespace

int forward(const DataCall& call, Ending ending, MPI_Request* request) {
  const MPI_File file = call.handle;
  const MPI_Offset offset = call.offset;
  void* const buffer = call.buffer;
  const MPI_Datatype type = call.type;
  MPI_Status* const status = call.status;
#define COLLIO_TOGETHER(name, way, place, ending_)                                                           \
  if (ending == Ending::ending_ && call.direction == policy::Direction::way && call.begin == Place::place) { \
    if (const int count = static_cast<int>(call.count); count == call.count)                                 \
      return real->name COLLIO_ARGUMENTS(place, ending_);                                                    \
    const MPI_Count count = call.count;                                                                      \
    return real->name##_c ? real->name##_c COLLIO_ARGUMENTS(place, ending_) : refuse_large(call);            \
  }
#include "mpiio/shim/data_calls.def"
  return MPI_ERR_OTHER;  // the table has all
}

int forward_end(const DataCall& call) {
  const MPI_File file = call.handle;
  void* const buffer = call.buffer;
  MPI_Status* const status = call.status;
#define COLLIO_TOGETHER_END(name, way, place)                                 \
  if (call.direction == policy::Direction::way && call.begin == Place::place) \
    return real->name COLLIO_END_ARGUMENTS;
#include "mpiio/shim/data_calls.def"
  return MPI_ERR_OTHER;  // the table has all
}

}  // namespace collio::mpiio
