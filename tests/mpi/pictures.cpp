// Pictures in the report of calls whose bytes move before ranks meet.
#include "open_with.hpp"
#include "pieces.hpp"

using namespace collio::test;

int main(int argc, char** argv) {
  Program program(argc, argv);
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  const Reports reports(program);
  const std::string path = program.temporary("pictures");
  MPI_File file = MPI_FILE_NULL;
  program.good(open_with({{"collio_path", "independent"}}, path, MPI_MODE_CREATE | MPI_MODE_RDWR, &file),
               "MPI_File_open");
  const auto data = values(program.rank, 64);
  for (int call = 0; call < 4; ++call)
    program.good(MPI_File_write_at_all(file, (call * program.size + program.rank) * 256, data.data(), 64,
                                       MPI_INT, MPI_STATUS_IGNORE),
                 "MPI_File_write_at_all");
  program.good(MPI_File_close(&file), "MPI_File_close");
  if (program.rank == 0) {
    const std::string line = reports.of(path);
    program.that(sum_of("\"met_once\":", line) > 0, "bytes moved before ranks met");
    const std::string timeline = line.substr(std::min(line.size(), line.find("\"timeline\":")));
    program.that(timeline.find("\"file\":[") != std::string::npos, "the last call has a timeline");
    program.that(timeline.find('-') == std::string::npos, ("times from 0 on: " + timeline).c_str());
  }
  const std::string own = path + '.' + std::to_string(program.rank);
  program.good(
      MPI_File_open(MPI_COMM_SELF, own.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                    MPI_INFO_NULL, &file),
      "MPI_File_open of a rank's own file");
  program.good(MPI_File_write_at_all(file, 0, data.data(), 64, MPI_INT, MPI_STATUS_IGNORE),
               "MPI_File_write_at_all");
  program.good(MPI_File_close(&file), "MPI_File_close");
  const bool has_pictures = reports.of(own).find("\"pictures\":") != std::string::npos;
  program.that(has_pictures == (program.rank == 0), "pictures of the first process's files alone");
  return program.finish();
}
