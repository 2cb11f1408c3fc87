// One rank's arguments are wrong, the others' are right: all ranks return from the call, and none returns
// success while its data may be lost.
#include "../mpi/check.hpp"

using namespace collio::test;

int main(int argc, char** argv) {
  Program program(argc, argv);
  // Left alone, MPI libraries return early on the wrong rank and the others wait.
  if (!collio_is_on()) return program.skip("collio is not preloaded");
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, program.temporary("bad_rank").c_str(),
                             MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
               "MPI_File_open");
  MPI_Datatype type = dealt_ints(program.rank, program.size, 2);
  program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Type_free(&type);
  const auto data = values(program.rank, 10);
  const bool wrong = program.rank == program.size / 2;
  MPI_Status status;
  program.same_error(MPI_File_write_at_all(file, 0, data.data(), wrong ? -1 : 10, MPI_INT, &status),
                     "a negative count on one rank must fail on all");
  program.same_error(MPI_File_write_at_all(file, wrong ? -5 : 0, data.data(), 10, MPI_INT, &status),
                     "a negative offset on one rank must fail on all");
  program.same_error(
      MPI_File_read_at_all(file, 0, const_cast<int*>(data.data()), wrong ? -1 : 0, MPI_INT, &status),
      "a negative count of a read on one rank must fail on all");
  program.same_error(
      MPI_File_write_at_all(file, 0, data.data(), 10, wrong ? MPI_DATATYPE_NULL : MPI_INT, &status),
      "no datatype on one rank must fail on all");
  program.same_error(MPI_File_read_all(file, const_cast<int*>(data.data()), 10,
                                       wrong ? MPI_DATATYPE_NULL : MPI_INT, &status),
                     "a read with no datatype on one rank must fail on all");
  // Three bytes are no whole number of etypes.
  program.same_error(MPI_File_write_at_all(file, 0, data.data(), wrong ? 3 : 4, MPI_BYTE, &status),
                     "part of an etype on one rank must fail on all");
  program.good(MPI_File_write_at_all(file, 0, data.data(), 10, MPI_INT, &status), "the next call works");
  std::vector<int> found(10);
  program.good(MPI_File_read_at_all(file, 0, found.data(), 10, MPI_INT, &status), "MPI_File_read_at_all");
  program.that(found == data, "data after the errors");
  program.good(MPI_File_close(&file), "MPI_File_close");
  return program.finish();
}
