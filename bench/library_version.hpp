// Which MPI library this program runs with.
#pragma once

#include <string>

namespace collio::bench {

struct Library {
  std::string version;  // first line of what the MPI says of itself, up to a comma
  std::string device;   // MPICH's "ch4:ucx" and the like; empty elsewhere
};

[[nodiscard]] Library library_version();

}  // namespace collio::bench
