// set_size, get_size, preallocate, sync and seeks relative to the end see what collective calls wrote, and
// the reverse.
#include "check.hpp"

using namespace collio::test;

namespace {

MPI_Offset size_of(Program& program, MPI_File file) {
  settle(file, MPI_COMM_WORLD);
  MPI_Offset size = -1;
  program.good(MPI_File_get_size(file, &size), "MPI_File_get_size");
  MPI_Barrier(MPI_COMM_WORLD);
  return size;
}

void grow_and_cut(Program& program, MPI_File file) {
  const auto data = values(program.rank, 100);
  MPI_Status status;
  program.good(MPI_File_write_at_all(file, 100LL * program.rank, data.data(), 100, MPI_INT, &status),
               "MPI_File_write_at_all");
  program.equal(size_of(program, file), 400LL * program.size, "size after writing");

  program.good(MPI_File_set_size(file, 200), "MPI_File_set_size");
  program.equal(size_of(program, file), 200, "size after cutting");
  std::vector<int> found(100, -5);
  program.good(MPI_File_read_at_all(file, 0, found.data(), 50, MPI_INT, &status), "MPI_File_read_at_all");
  found.resize(50);
  program.that(found == values(0, 50), "what is left after cutting");

  program.good(MPI_File_set_size(file, 1000), "MPI_File_set_size");
  program.equal(size_of(program, file), 1000, "size after growing");
  std::vector<int> zeros(200, -5);
  program.good(MPI_File_read_at_all(file, 50, zeros.data(), 200, MPI_INT, &status), "MPI_File_read_at_all");
  program.that(zeros == std::vector<int>(200, 0), "a file that grows reads as zeros");

  program.good(MPI_File_preallocate(file, 5000), "MPI_File_preallocate");
  program.equal(size_of(program, file), 5000, "size after preallocating");
  program.good(MPI_File_preallocate(file, 300), "MPI_File_preallocate");
  program.equal(size_of(program, file), 5000, "preallocating never cuts");
}

void seek_from_the_end(Program& program, MPI_File file) {
  program.good(MPI_File_set_size(file, 4000), "MPI_File_set_size");
  program.good(MPI_File_seek(file, -10, MPI_SEEK_END), "MPI_File_seek");
  MPI_Offset position = -1;
  MPI_File_get_position(file, &position);
  program.equal(position, 990, "10 ints before the end");
  MPI_Status status;
  // Every rank appends behind the end, one after the other in the file.
  program.good(MPI_File_seek(file, 3LL * program.rank, MPI_SEEK_END), "MPI_File_seek");
  MPI_Barrier(MPI_COMM_WORLD);
  const auto data = values(program.rank, 3);
  program.good(MPI_File_write_all(file, data.data(), 3, MPI_INT, &status), "MPI_File_write_all");
  program.equal(size_of(program, file), 4000 + 12LL * program.size, "size after writing behind the end");
  const int other = (program.rank + 1) % program.size;
  std::vector<int> found(3);
  program.good(MPI_File_read_at(file, 1000 + 3LL * other, found.data(), 3, MPI_INT, &status),
               "MPI_File_read_at");
  program.that(found == values(other, 3), "what the neighbour wrote behind the end");
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, program.temporary("sizes").c_str(),
                             MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
               "MPI_File_open");
  program.good(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), "MPI_File_set_view");
  grow_and_cut(program, file);
  seek_from_the_end(program, file);
  program.good(MPI_File_close(&file), "MPI_File_close");
  return program.finish();
}
