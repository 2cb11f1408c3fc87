// A file that loses its name while it is open, and whose name another file then has: what is written and read is the
// file that was opened, on whichever rank it is served.
#include <unistd.h>

#include <cstdio>

#include "check.hpp"

using namespace collio::test;

int main(int argc, char** argv) {
  Program program(argc, argv);
  constexpr int count = 40000, block = 8;
  const std::string name = program.temporary("named"), moved = program.temporary("moved");
  if (program.rank == 0) unlink(name.c_str());
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file), "MPI_File_open");
  if (program.rank == 0) {
    program.that(std::rename(name.c_str(), moved.c_str()) == 0, "rename");
    std::FILE* other = std::fopen(name.c_str(), "w");
    program.that(other && std::fclose(other) == 0, "another file of that name");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Datatype type = dealt_ints(program.rank, program.size, block);
  program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  const auto data = values(program.rank, count);
  MPI_Status status;
  program.good(MPI_File_write_all(file, data.data(), count, MPI_INT, &status), "MPI_File_write_all");
  settle(file, MPI_COMM_WORLD);
  std::vector<int> found(count);
  program.good(MPI_File_read_at_all(file, 0, found.data(), count, MPI_INT, &status), "MPI_File_read_at_all");
  program.that(found == data, "data read through the open file");
  MPI_Type_free(&type);
  program.good(MPI_File_close(&file), "MPI_File_close");
  if (program.rank == 0) {
    const auto bytes = [](const std::string& path) {
      std::FILE* f = std::fopen(path.c_str(), "r");
      if (!f) return -1L;
      std::fseek(f, 0, SEEK_END);
      const long end = std::ftell(f);
      std::fclose(f);
      return end;
    };
    program.equal(bytes(moved), 4L * count * program.size, "bytes of the file that was opened");
    program.equal(bytes(name), 0L, "bytes of the file that has its name now");
  }
  return program.finish();
}
