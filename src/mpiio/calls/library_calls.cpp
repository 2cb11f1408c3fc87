// See library_calls.hpp.
#include "mpiio/calls/library_calls.hpp"

#include <climits>

#include "mpiio/calls/data_columns.hpp"
#include "mpiio/library/error_codes.hpp"

namespace collio::mpiio {

namespace {

int refuse_large(const DataCall& c) {
  return raise(c.handle,
               {core::ErrorClass::argument, "count " + std::to_string(c.count) +
                                                " is beyond what this MPI library's own calls take (" +
                                                std::to_string(INT_MAX) + ")"});
}

}  // namespace

int forward(const DataCall& c, Ending ending, MPI_Request* request) {
  const MPI_File file = c.handle;
  const MPI_Offset offset = c.offset;
  void* const buffer = c.buffer;
  const MPI_Datatype type = c.type;
  MPI_Status* const status = c.status;
#define COLLIO_TOGETHER(name, way, place, ending_)                                                     \
  if (ending == Ending::ending_ && c.direction == policy::Direction::way && c.begin == Place::place) { \
    if (const int count = static_cast<int>(c.count); count == c.count)                                 \
      return real->name COLLIO_ARGUMENTS(place, ending_);                                              \
    const MPI_Count count = c.count;                                                                   \
    return real->name##_c ? real->name##_c COLLIO_ARGUMENTS(place, ending_) : refuse_large(c);         \
  }
#include "mpiio/shim/data_calls.def"
  return MPI_ERR_OTHER;  // the table has all
}

int forward_end(const DataCall& c) {
  const MPI_File file = c.handle;
  void* const buffer = c.buffer;
  MPI_Status* const status = c.status;
#define COLLIO_TOGETHER_END(name, way, place)                           \
  if (c.direction == policy::Direction::way && c.begin == Place::place) \
    return real->name COLLIO_END_ARGUMENTS;
#include "mpiio/shim/data_calls.def"
  return MPI_ERR_OTHER;  // the table has all
}

}  // namespace collio::mpiio
