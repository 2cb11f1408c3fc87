// Opening what cannot be opened fails with one error class on all ranks, and the next file opens as if
// nothing had been.
#include <sys/stat.h>

#include "../mpi/check.hpp"

using namespace collio::test;

namespace {

void expect_class(Program& program, int code, int expected, const char* what) {
  program.equal(program.same_error(code, what), expected, what);
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  MPI_File file = MPI_FILE_NULL;
  const std::string missing = program.path("missing");
  expect_class(program, MPI_File_open(MPI_COMM_WORLD, missing.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file),
               MPI_ERR_NO_SUCH_FILE, "opening a missing file");
  const std::string nowhere = program.path("missing") + "/below";
  program.same_error(
      MPI_File_open(MPI_COMM_WORLD, nowhere.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file),
      "creating below a missing folder must fail");
  program.same_error(MPI_File_open(MPI_COMM_WORLD, "/", MPI_MODE_RDWR, MPI_INFO_NULL, &file),
                     "opening a folder for writing must fail");
  program.same_error(
      MPI_File_open(MPI_COMM_WORLD, missing.c_str(), MPI_MODE_RDONLY | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
      "two access modes at once must fail");

  program.good(MPI_File_open(MPI_COMM_WORLD, program.temporary("fine").c_str(),
                             MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
               "MPI_File_open after failures");
  MPI_Datatype type = dealt_ints(program.rank, program.size, 2);
  program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Type_free(&type);
  const auto data = values(program.rank, 10);
  MPI_Status status;
  program.good(MPI_File_write_all(file, data.data(), 10, MPI_INT, &status),
               "MPI_File_write_all after failures");
  program.good(MPI_File_close(&file), "MPI_File_close");
  return program.finish();
}
