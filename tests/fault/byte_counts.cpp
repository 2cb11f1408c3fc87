// Files that may grow to 10 MiB only, and a collective write of 16 MiB: what each rank's status counts is in
// the file, whichever rank's limit it was, and the same call succeeds once the limit is gone.
#include <fcntl.h>

#include <algorithm>

#include "dealt_file.hpp"

using namespace collio::test;

namespace {

constexpr long long total_bytes = 16 << 20, allowed_bytes = 10 << 20;
constexpr int block = 64;

struct Attempt {
  const char* path;
  int aggregators;   ///< 0: any rank may write
  int limited_rank;  ///< -1: all
};

/// Of which file the ways are tried.
DealtFile dealt(const Attempt& way) {
  DealtFile file{.block = block, .hints = {{"collio_path", way.path}, {"cb_buffer_size", "1048576"}}};
  if (way.aggregators > 0) {
    file.hints["cb_nodes"] = std::to_string(way.aggregators);
    file.hints["cb_config_list"] = "*:*";
  }
  return file;
}

/// How many of this rank's ints, from the first on, the file holds. Reads past MPI.
int ints_in_file(const Program& program, const std::string& name, const std::vector<int>& data) {
  const int fd = open(name.c_str(), O_RDONLY | O_CLOEXEC);
  const int count = static_cast<int>(data.size());
  int found[block], good = 0;
  bool intact = fd >= 0;
  while (intact && good < count) {
    const off_t at = (static_cast<off_t>(good / block) * program.size + program.rank) * block *
                     static_cast<off_t>(sizeof(int));
    const int wanted = std::min(block, count - good);
    const int got = static_cast<int>(pread(fd, found, static_cast<std::size_t>(wanted) * sizeof(int), at) /
                                     static_cast<ssize_t>(sizeof(int)));
    int same = 0;
    while (same < got && found[same] == data[static_cast<std::size_t>(good + same)]) ++same;
    good += same;
    intact = same == wanted;
  }
  if (fd >= 0) close(fd);
  return good;
}

void counts_are_true(Program& program, const Attempt& way) {
  const std::string& name = program.temporary(std::string(way.path) + std::to_string(way.aggregators) + "." +
                                              std::to_string(way.limited_rank));
  const int count =
      static_cast<int>(total_bytes / program.size / static_cast<long long>(sizeof(int))) / block * block;
  const auto data = values(program.rank, count);
  MPI_File file = open_dealt(program, name, dealt(way));
  const bool limited = way.limited_rank < 0 || way.limited_rank == program.rank;
  if (limited) limit_files(allowed_bytes);
  MPI_Status status;
  const int code = MPI_File_write_at_all(file, 0, data.data(), count, MPI_INT, &status);
  if (limited) limit_files(RLIM_INFINITY);
  MPI_Barrier(MPI_COMM_WORLD);
  int failed = code != MPI_SUCCESS;
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  // A rank that aggregates only the file's first bytes never meets its limit.
  program.that(failed || way.limited_rank >= 0, "a write beyond the limit must fail");
  if (failed) program.same_error(code, "a write beyond one rank's limit must fail on all ranks");
  const int counted = status_bytes(status);
  const int held = ints_in_file(program, name, data) * static_cast<int>(sizeof(int));
  program.that(counted >= 0 && counted <= held, "bytes reported as written are in the file");
  if (counted > held) program.equal(counted, held, "bytes reported as written");
  if (!failed) program.equal(counted, 4LL * count, "bytes written");
  long long all = counted;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  program.that(all > 0, "some bytes below the limit are counted");

  program.good(MPI_File_write_at_all(file, 0, data.data(), count, MPI_INT, &status),
               "the same write without the limit");
  program.equal(status_bytes(status), 4LL * count, "bytes written without the limit");
  program.good(MPI_File_close(&file), "MPI_File_close");
  MPI_Barrier(MPI_COMM_WORLD);
  program.equal(ints_in_file(program, name, data), count, "ints in the file in the end");
  MPI_Barrier(MPI_COMM_WORLD);
  if (program.rank == 0) unlink(name.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  // The MPI libraries' own collective writes lose such errors or wait for ever: nothing to compare with.
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  counts_are_true(program, {"two_phase", 1, -1});
  counts_are_true(program, {"two_phase", program.size, -1});
  for (int rank = 0; rank < std::min(program.size, 4); ++rank)
    counts_are_true(program, {"two_phase", program.size, rank});
  for (const int aggregators : {0, 1, program.size}) counts_are_true(program, {"two_layer", aggregators, -1});
  for (int rank = 0; rank < std::min(program.size, 4); ++rank)
    counts_are_true(program, {"two_layer", 0, rank});
  counts_are_true(program, {"independent", 1, -1});
  counts_are_true(program, {"independent", 1, program.size - 1});
  return program.finish();
}
