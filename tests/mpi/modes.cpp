// Access modes: each does what the standard says, with collective calls between.
#include <cstring>

#include "check.hpp"

using namespace collio::test;

namespace {

/// Writes 10 ints per rank collectively at byte displacement `at`; true when all calls succeed.
void write_ten(Program& program, MPI_File file, MPI_Offset at) {
  const auto data = values(program.rank, 10);
  MPI_Status status;
  program.good(MPI_File_set_view(file, at + 40LL * program.rank, MPI_INT, MPI_INT, "native", MPI_INFO_NULL),
               "MPI_File_set_view");
  program.good(MPI_File_write_all(file, data.data(), 10, MPI_INT, &status), "MPI_File_write_all");
  program.equal(status_bytes(status), 40, "status bytes");
}

void create_and_append(Program& program, const std::string& path) {
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY,
                             MPI_INFO_NULL, &file),
               "open to create");
  write_ten(program, file, 0);
  program.good(MPI_File_close(&file), "MPI_File_close");

  program.same_error(MPI_File_open(MPI_COMM_WORLD, path.c_str(),
                                   MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY, MPI_INFO_NULL, &file),
                     "creating an existing file exclusively must fail");

  program.good(
      MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_WRONLY | MPI_MODE_APPEND, MPI_INFO_NULL, &file),
      "open to append");
  MPI_Offset position = -1;
  program.good(MPI_File_get_position(file, &position), "MPI_File_get_position");
  program.equal(position, 40LL * program.size, "file pointer of a file opened to append");
  // One byte per rank at the same place, all alike: what matters is where it goes.
  const char mark = 'x';
  MPI_Status status;
  program.good(MPI_File_write_all(file, &mark, 1, MPI_CHAR, &status), "MPI_File_write_all behind the end");
  settle(file, MPI_COMM_WORLD);
  MPI_Offset size = -1;
  program.good(MPI_File_get_size(file, &size), "MPI_File_get_size");
  program.equal(size, 40LL * program.size + 1, "size after appending one byte");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

/// Open MPI 4 left alone does not keep collective calls to the access mode: only an aggregating rank notices,
/// if any.
bool checks_modes() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(version, &length);
  return collio_is_on() || std::strstr(version, "Open MPI v4") == nullptr;
}

void read_only(Program& program, const std::string& path) {
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file),
               "open for reading");
  MPI_Status status;
  if (checks_modes()) {
    const int data = 3;
    const int code = MPI_File_write_at_all(file, 4LL * program.rank, &data, 4, MPI_BYTE, &status);
    const int error_class = program.same_error(code, "writing to a file opened for reading must fail");
    program.that(
        error_class == MPI_ERR_READ_ONLY || error_class == MPI_ERR_ACCESS || error_class == MPI_ERR_AMODE,
        "class of writing to a file opened for reading");
  }
  std::vector<int> found(10);
  program.good(MPI_File_read_at_all(file, 40LL * program.rank, found.data(), 10, MPI_INT, &status),
               "reading goes on after the error");
  program.that(found == values(program.rank, 10), "data read after the error");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

void write_only(Program& program, const std::string& path) {
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_WRONLY, MPI_INFO_NULL, &file),
               "open for writing");
  int found = 0;
  MPI_Status status;
  if (checks_modes())
    program.same_error(MPI_File_read_at_all(file, 4LL * program.rank, &found, 1, MPI_INT, &status),
                       "reading a file opened for writing must fail");
  // Pieces with holes between: nothing that would need reading may be needed.
  MPI_Datatype type = dealt_ints(program.rank, program.size + 1, 2);
  program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Type_free(&type);
  const auto data = values(program.rank, 8, 50);
  program.good(MPI_File_write_all(file, data.data(), 8, MPI_INT, &status), "MPI_File_write_all with holes");
  program.good(MPI_File_close(&file), "MPI_File_close");

  program.good(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file),
               "open for reading");
  type = dealt_ints(program.rank, program.size + 1, 2);
  program.good(MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL), "MPI_File_set_view");
  MPI_Type_free(&type);
  std::vector<int> back(8);
  program.good(MPI_File_read_all(file, back.data(), 8, MPI_INT, &status), "MPI_File_read_all");
  program.that(back == data, "pieces written with holes between");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

void delete_on_close(Program& program) {
  const std::string path = program.path("deleted");
  MPI_File file = MPI_FILE_NULL;
  program.good(
      MPI_File_open(MPI_COMM_WORLD, path.c_str(),
                    MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_UNIQUE_OPEN,
                    MPI_INFO_NULL, &file),
      "open to delete on close");
  write_ten(program, file, 0);
  int mode = 0;
  program.good(MPI_File_get_amode(file, &mode), "MPI_File_get_amode");
  program.equal(mode, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_UNIQUE_OPEN,
                "access mode");
  MPI_Barrier(MPI_COMM_WORLD);
  program.that(access(path.c_str(), F_OK) == 0, "the file is there while it is open");
  MPI_Barrier(MPI_COMM_WORLD);
  program.good(MPI_File_close(&file), "MPI_File_close");
  MPI_Barrier(MPI_COMM_WORLD);
  program.that(access(path.c_str(), F_OK) != 0, "the file is gone after closing");
}

void sequential(Program& program) {
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, program.temporary("sequential").c_str(),
                             MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &file),
               "open sequentially");
  const int data = program.rank;
  MPI_Status status;
  program.good(MPI_File_write_shared(file, &data, 1, MPI_INT, &status), "MPI_File_write_shared");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  const std::string path = program.temporary("modes");
  create_and_append(program, path);
  read_only(program, path);
  write_only(program, path);
  delete_on_close(program);
  sequential(program);
  return program.finish();
}
