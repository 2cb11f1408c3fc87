// A disk that fills up on some aggregators: some processes may write files only up to a limit, the others
// have none. Every rank must get an error from the same call, of the same class, and nobody may wait for
// ever. Afterwards the file can be closed and another written.

#include "dealt_file.hpp"

using namespace collio::test;

namespace {

void fails_everywhere(Program& program, const std::string& path, const char* buffer_bytes, bool limited) {
  constexpr int count = 100000;
  MPI_File file = open_dealt(program, path,
                             {.block = 16,
                              .hints = {{"collio_path", "two_phase"},
                                        {"cb_buffer_size", buffer_bytes},
                                        {"cb_nodes", std::to_string(program.size)},  // every rank aggregates
                                        {"cb_config_list", "*:*"}}});
  const auto data = values(program.rank, count);
  // All of the file lies past the limit for this one process.
  if (limited) limit_files(0);
  MPI_Status status;
  const int code = MPI_File_write_all(file, data.data(), count, MPI_INT, &status);
  if (limited) limit_files(RLIM_INFINITY);
  const int error_class =
      program.same_error(code, "a write that one aggregator cannot make must fail on all ranks");
  program.that(error_class == MPI_ERR_NO_SPACE || error_class == MPI_ERR_QUOTA || error_class == MPI_ERR_IO ||
                   error_class == MPI_ERR_FILE,
               "class of the error");
  // The file works again once the limit is gone.
  program.good(MPI_File_seek(file, 0, MPI_SEEK_SET), "MPI_File_seek");
  program.good(MPI_File_write_all(file, data.data(), count, MPI_INT, &status),
               "MPI_File_write_all without the limit");
  program.equal(status_bytes(status), 4 * count, "bytes written without the limit");
  std::vector<int> found(count);
  program.good(MPI_File_read_at_all(file, 0, found.data(), count, MPI_INT, &status), "MPI_File_read_at_all");
  program.that(found == data, "data after the failure was repaired");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  // The MPI libraries' own collective writes lose such errors or wait for ever: nothing to compare with.
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  const std::string path = program.temporary("limit");
  fails_everywhere(program, path, "1048576", program.rank == 0);
  fails_everywhere(program, path, "4096", program.rank == 0);
  if (program.size > 2) fails_everywhere(program, path, "65536", program.rank != 0);
  return program.finish();
}
