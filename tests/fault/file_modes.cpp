// Calls that a file's mode forbids, files that may not be opened, and files that change under an open handle:
// one error class on all ranks, or none.
#include <sys/stat.h>

#include <cstdio>

#include "../mpi/check.hpp"

using namespace collio::test;

namespace {

constexpr int count = 1000;

MPI_File open_dealt(Program& program, const std::string& name, int mode) {
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, name.c_str(), mode, MPI_INFO_NULL, &file), "MPI_File_open");
  MPI_Datatype type = dealt_ints(program.rank, program.size, 4);
  program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Type_free(&type);
  return file;
}

void write_and_read(Program& program, MPI_File file, const char* when) {
  const auto data = values(program.rank, count);
  std::vector<int> found(count);
  MPI_Status status;
  program.good(MPI_File_write_at_all(file, 0, data.data(), count, MPI_INT, &status), when);
  program.equal(status_bytes(status), 4 * count, "bytes written");
  program.good(MPI_File_read_at_all(file, 0, found.data(), count, MPI_INT, &status), when);
  program.that(found == data, when);
}

void forbidden_calls(Program& program, const std::string& name) {
  std::vector<int> data = values(program.rank, count);
  MPI_Status status;
  MPI_File file = open_dealt(program, name, MPI_MODE_CREATE | MPI_MODE_RDWR);
  write_and_read(program, file, "a file for reading and writing");
  program.good(MPI_File_close(&file), "MPI_File_close");

  file = open_dealt(program, name, MPI_MODE_RDONLY);
  program.same_error(MPI_File_write_all(file, data.data(), count, MPI_INT, &status),
                     "MPI_File_write_all to a file open for reading");
  program.same_error(MPI_File_write_at_all(file, 8, data.data(), count, MPI_INT, &status),
                     "MPI_File_write_at_all to a file open for reading");
  std::vector<int> found(count);
  program.good(MPI_File_read_all(file, found.data(), count, MPI_INT, &status),
               "MPI_File_read_all after refused writes");
  program.that(found == data, "data after refused writes");
  program.good(MPI_File_close(&file), "MPI_File_close");

  file = open_dealt(program, name, MPI_MODE_WRONLY);
  program.same_error(MPI_File_read_all(file, found.data(), count, MPI_INT, &status),
                     "MPI_File_read_all from a file open for writing");
  program.good(MPI_File_write_all(file, data.data(), count, MPI_INT, &status),
               "MPI_File_write_all after a refused read");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

/// The super-user may open everything: the ranks become nobody for the open. All ranks: where one alone may
/// not, MPI libraries themselves disagree on the error (ROMIO) or wait for ever (OMPIO) before collio sees
/// the file.
int open_unprivileged(Program& program, const std::string& name, int mode) {
  const bool root = geteuid() == 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (root && seteuid(65534) != 0) program.that(false, "seteuid");
  MPI_File file = MPI_FILE_NULL;
  const int code = MPI_File_open(MPI_COMM_WORLD, name.c_str(), mode, MPI_INFO_NULL, &file);
  if (root && seteuid(0) != 0) program.that(false, "seteuid");
  MPI_Barrier(MPI_COMM_WORLD);
  return code;
}

void forbidden_files(Program& program, const std::string& name) {
  for (const mode_t bits : {0444U, 0000U}) {
    if (program.rank == 0) chmod(name.c_str(), bits);
    const int error_class = program.same_error(open_unprivileged(program, name, MPI_MODE_RDWR),
                                               "opening a protected file for writing must fail");
    program.that(error_class == MPI_ERR_ACCESS || error_class == MPI_ERR_READ_ONLY ||
                     error_class == MPI_ERR_NO_SUCH_FILE || error_class == MPI_ERR_FILE,
                 "class of the error");
  }
  program.same_error(open_unprivileged(program, name, MPI_MODE_RDONLY),
                     "opening a file that may not be read must fail");
  if (program.rank == 0) chmod(name.c_str(), 0644);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File file = open_dealt(program, name, MPI_MODE_RDWR);
  write_and_read(program, file, "the file after it was opened up again");
  if (program.rank == 0) chmod(name.c_str(), 0);
  MPI_Barrier(MPI_COMM_WORLD);
  write_and_read(program, file, "a handle that was opened before the file was closed off");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

void folder_removed(Program& program, const std::string& folder) {
  const std::string name = folder + "/file";
  if (program.rank == 0) mkdir(folder.c_str(), 0755);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File file = open_dealt(program, name, MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_Barrier(MPI_COMM_WORLD);
  if (program.rank == 0) {
    // Open MPI keeps a file for the shared pointer beside: the folder is moved away rather than emptied.
    unlink(name.c_str());
    std::rename(folder.c_str(), (folder + ".gone").c_str());
  }
  MPI_Barrier(MPI_COMM_WORLD);
  write_and_read(program, file, "a handle whose file and folder are gone");
  program.good(MPI_File_close(&file), "MPI_File_close of a file that is gone");
  program.same_error(
      MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
      "creating a file in a folder that is gone must fail");
  if (program.rank == 0) std::system(("rm -rf '" + folder + ".gone'").c_str());
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  const std::string& name = program.temporary("modes");
  forbidden_calls(program, name);
  forbidden_files(program, name);
  folder_removed(program, program.path("folder"));
  return program.finish();
}
