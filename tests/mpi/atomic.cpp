// Atomic mode: what one rank wrote, any other reads as soon as it knows that the write returned; no sync
// between.
#include "check.hpp"

using namespace collio::test;

int main(int argc, char** argv) {
  Program program(argc, argv);
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, program.temporary("atomic").c_str(),
                             MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
               "MPI_File_open");
  MPI_Datatype type = dealt_ints(program.rank, program.size, 3);
  program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Type_free(&type);
  int flag = -1;
  program.good(MPI_File_get_atomicity(file, &flag), "MPI_File_get_atomicity");
  program.equal(flag, 0, "atomicity at first");
  MPI_Status status;
  const auto before = values(program.rank, 12);
  program.good(MPI_File_write_all(file, before.data(), 12, MPI_INT, &status), "MPI_File_write_all");
  program.good(MPI_File_set_atomicity(file, 1), "MPI_File_set_atomicity");
  program.good(MPI_File_get_atomicity(file, &flag), "MPI_File_get_atomicity");
  program.equal(flag, 1, "atomicity when set");
  const auto data = values(program.rank, 12, 12);
  program.good(MPI_File_write_all(file, data.data(), 12, MPI_INT, &status),
               "MPI_File_write_all in atomic mode");
  program.equal(status_bytes(status), 48, "status bytes");
  MPI_Barrier(MPI_COMM_WORLD);
  const int other = (program.rank + 1) % program.size;
  type = dealt_ints(other, program.size, 3);
  program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Type_free(&type);
  std::vector<int> found(24);
  program.good(MPI_File_read_all(file, found.data(), 24, MPI_INT, &status),
               "MPI_File_read_all in atomic mode");
  program.that(found == values(other, 24), "the neighbour's data, without a sync");
  program.good(MPI_File_set_atomicity(file, 0), "MPI_File_set_atomicity");
  program.good(MPI_File_read_at_all(file, 6, found.data(), 6, MPI_INT, &status), "MPI_File_read_at_all");
  found.resize(6);
  program.that(found == values(other, 6, 6), "data after leaving atomic mode");
  program.good(MPI_File_close(&file), "MPI_File_close");
  return program.finish();
}
