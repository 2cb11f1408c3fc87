// See mpi_library.hpp.
#include "transport/waiting/mpi_library.hpp"

#include <mpi.h>

#include <cstring>

namespace collio::transport {

bool is_open_mpi() {
  static const bool answer = [] {
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(version, &length);
    return std::strstr(version, "Open MPI") != nullptr;
  }();
  return answer;
}

bool any_thread_may_call() {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  return provided == MPI_THREAD_MULTIPLE;
}

}  // namespace collio::transport
