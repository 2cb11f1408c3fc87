// Fuzz target: maps of E3SM's decompositions (bench/e3sm_map.h). Every run of a map that is accepted lies in
// its variable.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "e3sm_map.h"

namespace {

void look_at(const e3sm_map& map) {
  char error[E3SM_MAP_ERROR_BYTES];
  for (std::int64_t d = 0; d < map.decomposition_count; ++d)
    for (std::int64_t rank = 0; rank < map.ranks && rank < 100; ++rank) {
      e3sm_runs runs;
      if (e3sm_map_rank(&map, d, rank, &runs, error) != 0) continue;
      for (std::int64_t i = 0; i < runs.count; ++i)
        if (runs.first[i].offset < 0 || runs.first[i].length < 1 ||
            runs.first[i].offset > map.decompositions[d].elements - runs.first[i].length)
          std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int fd = memfd_create("map", MFD_CLOEXEC);
  if (fd < 0 || write(fd, data, size) != static_cast<ssize_t>(size)) std::abort();
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  char error[E3SM_MAP_ERROR_BYTES] = "";
  e3sm_map map{};
  if (e3sm_map_open(path.c_str(), &map, error) == 0) {
    look_at(map);
    e3sm_map_close(&map);
  } else if (error[0] == '\0') {
    std::abort();
  }
  close(fd);
  return 0;
}
