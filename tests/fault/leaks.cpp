// Calls that fail leave nothing behind: no memory, no open files, however often they fail.
#include <malloc.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

#include "dealt_file.hpp"

using namespace collio::test;

namespace {

constexpr int count = 60000, warm_up = 6, batches = 4, calls = 10;  // calls of a batch
constexpr long long allowed_bytes = 16 << 10;  // of a batch; a call has about 480 KiB, and windows of 64 KiB

long long bytes_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<long long>(info.uordblks + info.hblkhd);
}

long long open_files() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

void fail_once(Program& program, MPI_File file, std::vector<int>& data, bool write, bool nonblocking) {
  MPI_Status status;
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_SUCCESS;
  if (nonblocking) {
    write ? MPI_File_iwrite_at_all(file, 0, data.data(), count, MPI_INT, &request)
          : MPI_File_iread_at_all(file, 0, data.data(), count, MPI_INT, &request);
    code = MPI_Wait(&request, &status);
  } else {
    code = write ? MPI_File_write_at_all(file, 0, data.data(), count, MPI_INT, &status)
                 : MPI_File_read_at_all(file, 0, data.data(), count, MPI_INT, &status);
  }
  program.same_error(
      code, nonblocking ? "a nonblocking call with faults must fail" : "a call with faults must fail");
}

// Bytes that every batch of calls leaves at least. A leak grows with each of them; an MPI library's pools of
// messages grow by a large piece when many happen to be on their way, and then stay.
long long growth_of_every_batch(Program& program, MPI_File file, std::vector<int>& data, bool write) {
  for (int i = 0; i < warm_up; ++i) fail_once(program, file, data, write, i % 2 != 0);
  long long least = std::numeric_limits<long long>::max();
  for (int batch = 0; batch < batches; ++batch) {
    const long long before = bytes_in_use();
    for (int i = 0; i < calls; ++i) fail_once(program, file, data, write, i % 2 != 0);
    least = std::min(least, bytes_in_use() - before);
  }
  return least;
}

void fails_often(Program& program, const std::string& path, bool write) {
  const std::string name = program.temporary("leaks"), rules = program.temporary("leaks.rules");
  if (program.rank == 0) std::ofstream(rules) << "none\n";
  MPI_Barrier(MPI_COMM_WORLD);
  const long long files_before = open_files();
  MPI_File file = open_dealt(program, name,
                             {.hints = {{"collio_path", path},
                                        {"cb_buffer_size", "65536"},
                                        {"cb_nodes", std::to_string(program.size)},
                                        {"cb_config_list", "*:*"},
                                        {"collio_faults", "@" + rules}}});
  auto data = values(program.rank, count);
  MPI_Status status;
  program.good(MPI_File_write_at_all(file, 0, data.data(), count, MPI_INT, &status),
               "a write without faults");
  if (program.rank == 0)
    std::ofstream(rules) << (write ? "all:write:short=100,ENOSPC\n" : "all:read:short=100,EIO\n");
  MPI_Barrier(MPI_COMM_WORLD);
  const long long more = growth_of_every_batch(program, file, data, write);
  program.that(more < allowed_bytes, "memory in use stays as it was");
  if (more >= allowed_bytes) program.equal(more, 0, "what every batch of calls leaves, in bytes,");
  program.good(MPI_File_close(&file), "MPI_File_close");
  program.that(open_files() <= files_before + 1, "files are closed");  // libraries may keep one of their own
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  for (const char* path : {"two_phase", "two_layer", "independent"})
    for (const bool write : {true, false}) fails_often(program, path, write);
  return program.finish();
}
