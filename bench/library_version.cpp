#include "library_version.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>

namespace collio::bench {

Library library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string all(text.data());
  std::replace(all.begin(), all.end(), '\t', ' ');
  Library library{all.substr(0, all.find_first_of("\n,")), {}};
  const std::string key = "MPICH Device:";
  if (const std::size_t at = all.find(key); at != std::string::npos) {
    const std::size_t start = all.find_first_not_of(' ', at + key.size());
    library.device = all.substr(start, all.find('\n', start) - start);
  }
  return library;
}

}  // namespace collio::bench
