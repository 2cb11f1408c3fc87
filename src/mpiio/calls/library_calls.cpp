// See library_calls.hpp.
#include "mpiio/calls/library_calls.hpp"

#include <climits>

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

int forward(const DataCall& c) {
  if (c.count <= INT_MAX) {
    const int n = static_cast<int>(c.count);
    if (c.write)
      return c.explicit_offset ? real->File_write_at_all(c.handle, c.offset, c.buffer, n, c.type, c.status)
                               : real->File_write_all(c.handle, c.buffer, n, c.type, c.status);
    return c.explicit_offset ? real->File_read_at_all(c.handle, c.offset, c.buffer, n, c.type, c.status)
                             : real->File_read_all(c.handle, c.buffer, n, c.type, c.status);
  }
  if (real->File_write_all_c) {
    if (c.write)
      return c.explicit_offset
                 ? real->File_write_at_all_c(c.handle, c.offset, c.buffer, c.count, c.type, c.status)
                 : real->File_write_all_c(c.handle, c.buffer, c.count, c.type, c.status);
    return c.explicit_offset
               ? real->File_read_at_all_c(c.handle, c.offset, c.buffer, c.count, c.type, c.status)
               : real->File_read_all_c(c.handle, c.buffer, c.count, c.type, c.status);
  }
  return refuse_large(c);
}

int forward_nonblocking(const DataCall& c, MPI_Request* request) {
  if (c.count <= INT_MAX) {
    const int n = static_cast<int>(c.count);
    if (c.write)
      return c.explicit_offset ? real->File_iwrite_at_all(c.handle, c.offset, c.buffer, n, c.type, request)
                               : real->File_iwrite_all(c.handle, c.buffer, n, c.type, request);
    return c.explicit_offset ? real->File_iread_at_all(c.handle, c.offset, c.buffer, n, c.type, request)
                             : real->File_iread_all(c.handle, c.buffer, n, c.type, request);
  }
  if (real->File_iwrite_all_c) {
    if (c.write)
      return c.explicit_offset
                 ? real->File_iwrite_at_all_c(c.handle, c.offset, c.buffer, c.count, c.type, request)
                 : real->File_iwrite_all_c(c.handle, c.buffer, c.count, c.type, request);
    return c.explicit_offset
               ? real->File_iread_at_all_c(c.handle, c.offset, c.buffer, c.count, c.type, request)
               : real->File_iread_all_c(c.handle, c.buffer, c.count, c.type, request);
  }
  return refuse_large(c);
}

int forward_begin(const DataCall& c) {
  if (c.count <= INT_MAX) {
    const int n = static_cast<int>(c.count);
    if (c.write)
      return c.explicit_offset ? real->File_write_at_all_begin(c.handle, c.offset, c.buffer, n, c.type)
                               : real->File_write_all_begin(c.handle, c.buffer, n, c.type);
    return c.explicit_offset ? real->File_read_at_all_begin(c.handle, c.offset, c.buffer, n, c.type)
                             : real->File_read_all_begin(c.handle, c.buffer, n, c.type);
  }
  if (real->File_write_all_begin_c) {
    if (c.write)
      return c.explicit_offset
                 ? real->File_write_at_all_begin_c(c.handle, c.offset, c.buffer, c.count, c.type)
                 : real->File_write_all_begin_c(c.handle, c.buffer, c.count, c.type);
    return c.explicit_offset ? real->File_read_at_all_begin_c(c.handle, c.offset, c.buffer, c.count, c.type)
                             : real->File_read_all_begin_c(c.handle, c.buffer, c.count, c.type);
  }
  return refuse_large(c);
}

int forward_end(const DataCall& c) {
  if (c.write)
    return c.explicit_offset ? real->File_write_at_all_end(c.handle, c.buffer, c.status)
                             : real->File_write_all_end(c.handle, c.buffer, c.status);
  return c.explicit_offset ? real->File_read_at_all_end(c.handle, c.buffer, c.status)
                           : real->File_read_all_end(c.handle, c.buffer, c.status);
}

}  // namespace collio::mpiio
