// The forms of a data call: collective, blocking or posted and completed later, and independent.
#pragma once

#include <dlfcn.h>
#include <mpi.h>

#include <cstdint>

namespace collio::differential {

struct PostedCall {  // or a blocking one
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

/// Blocking and collective.
inline int transfer_all(MPI_File file, const PostedCall& c, MPI_Status& status) {
  if (c.write)
    return c.explicit_offset ? MPI_File_write_at_all(file, c.offset, c.address, c.count, c.type, &status)
                             : MPI_File_write_all(file, c.address, c.count, c.type, &status);
  return c.explicit_offset ? MPI_File_read_at_all(file, c.offset, c.address, c.count, c.type, &status)
                           : MPI_File_read_all(file, c.address, c.count, c.type, &status);
}

/// The _c forms by name: MPI 4 libraries have them, and the interposer brings them to older ones.
template <class Function>
Function large_form(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

/// The same through the _c form, where there is one.
inline int transfer_all_large(MPI_File file, const PostedCall& c, MPI_Status& status) {
  using All = int (*)(MPI_File, void*, MPI_Count, MPI_Datatype, MPI_Status*);
  using AtAll = int (*)(MPI_File, MPI_Offset, void*, MPI_Count, MPI_Datatype, MPI_Status*);
  static const auto write_all = large_form<All>("MPI_File_write_all_c");
  static const auto write_at_all = large_form<AtAll>("MPI_File_write_at_all_c");
  static const auto read_all = large_form<All>("MPI_File_read_all_c");
  static const auto read_at_all = large_form<AtAll>("MPI_File_read_at_all_c");
  if (!write_all || !write_at_all || !read_all || !read_at_all) return transfer_all(file, c, status);
  if (c.explicit_offset)
    return (c.write ? write_at_all : read_at_all)(file, c.offset, c.address, c.count, c.type, &status);
  return (c.write ? write_all : read_all)(file, c.address, c.count, c.type, &status);
}

/// Independent, nonblocking or not. Collective all the same: all ranks' calls end before any rank goes on.
inline int transfer_alone(MPI_Comm comm, MPI_File file, const PostedCall& c, bool nonblocking,
                          MPI_Status& status) {
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_SUCCESS;
  if (nonblocking && c.write)
    code = c.explicit_offset ? MPI_File_iwrite_at(file, c.offset, c.address, c.count, c.type, &request)
                             : MPI_File_iwrite(file, c.address, c.count, c.type, &request);
  else if (nonblocking)
    code = c.explicit_offset ? MPI_File_iread_at(file, c.offset, c.address, c.count, c.type, &request)
                             : MPI_File_iread(file, c.address, c.count, c.type, &request);
  else if (c.write)
    code = c.explicit_offset ? MPI_File_write_at(file, c.offset, c.address, c.count, c.type, &status)
                             : MPI_File_write(file, c.address, c.count, c.type, &status);
  else
    code = c.explicit_offset ? MPI_File_read_at(file, c.offset, c.address, c.count, c.type, &status)
                             : MPI_File_read(file, c.address, c.count, c.type, &status);
  if (nonblocking && code == MPI_SUCCESS) code = MPI_Wait(&request, &status);
  MPI_Barrier(comm);
  return code;
}

inline int end_split(MPI_File file, const PostedCall& c, MPI_Status& status) {
  if (c.write)
    return c.explicit_offset ? MPI_File_write_at_all_end(file, c.address, &status)
                             : MPI_File_write_all_end(file, c.address, &status);
  return c.explicit_offset ? MPI_File_read_at_all_end(file, c.address, &status)
                           : MPI_File_read_all_end(file, c.address, &status);
}

}  // namespace collio::differential
