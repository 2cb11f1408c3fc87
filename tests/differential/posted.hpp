// Collective calls that do not block: posted, and completed later.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace collio::differential {

struct PostedCall {
  bool write, explicit_offset;
  std::int64_t offset;
  void* address;
  int count;
  MPI_Datatype type;
};

/// Nonblocking with a request, split without.
inline int post(MPI_File file, const PostedCall& c, MPI_Request* request) {
  if (request && c.write)
    return c.explicit_offset ? MPI_File_iwrite_at_all(file, c.offset, c.address, c.count, c.type, request)
                             : MPI_File_iwrite_all(file, c.address, c.count, c.type, request);
  if (request)
    return c.explicit_offset ? MPI_File_iread_at_all(file, c.offset, c.address, c.count, c.type, request)
                             : MPI_File_iread_all(file, c.address, c.count, c.type, request);
  if (c.write)
    return c.explicit_offset ? MPI_File_write_at_all_begin(file, c.offset, c.address, c.count, c.type)
                             : MPI_File_write_all_begin(file, c.address, c.count, c.type);
  return c.explicit_offset ? MPI_File_read_at_all_begin(file, c.offset, c.address, c.count, c.type)
                           : MPI_File_read_all_begin(file, c.address, c.count, c.type);
}

inline int end_split(MPI_File file, const PostedCall& c, MPI_Status& status) {
  if (c.write)
    return c.explicit_offset ? MPI_File_write_at_all_end(file, c.address, &status)
                             : MPI_File_write_all_end(file, c.address, &status);
  return c.explicit_offset ? MPI_File_read_at_all_end(file, c.address, &status)
                           : MPI_File_read_all_end(file, c.address, &status);
}

}  // namespace collio::differential
