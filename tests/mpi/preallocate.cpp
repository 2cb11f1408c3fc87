// MPI_File_preallocate keeps every byte of the file and every file pointer, whatever the view and wherever
// the pointers are; and a rank that is late in it does not lose step with the others. The program stands in
// front of lseek(), by which an MPI library asks for a file's length.
#include <sys/stat.h>
#include <sys/syscall.h>

#include <ctime>

#include "check.hpp"

using namespace collio::test;

namespace {

bool late = false;

}  // namespace

extern "C" {

off_t lseek(int fd, off_t offset, int whence) noexcept {
  const timespec time{0, 50'000'000};
  if (late && whence == SEEK_END) nanosleep(&time, nullptr);
  return syscall(SYS_lseek, fd, offset, whence);
}

off64_t lseek64(int fd, off64_t offset, int whence) noexcept { return lseek(fd, offset, whence); }

}  // extern "C"

namespace {

constexpr int ints = 100;  // of a rank

MPI_File opened(Program& program, const std::string& path, int mode) {
  MPI_File file = MPI_FILE_NULL;
  program.good(MPI_File_open(MPI_COMM_WORLD, path.c_str(), mode, MPI_INFO_NULL, &file), "MPI_File_open");
  return file;
}

void preallocate(Program& program, MPI_File file, MPI_Offset bytes, MPI_Offset wanted) {
  program.good(MPI_File_preallocate(file, bytes), "MPI_File_preallocate");
  MPI_Offset size = -1;
  program.good(MPI_File_get_size(file, &size), "MPI_File_get_size");
  program.equal(size, wanted, "size after preallocating");
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Ranks are late one after the other; each next call tells whether it lost step.
void keep_step(Program& program, const std::string& path) {
  MPI_File file = opened(program, path, MPI_MODE_CREATE | MPI_MODE_RDWR);
  for (int rank = 0; rank < program.size; ++rank) {
    late = program.rank == rank;
    preallocate(program, file, 1000 * (rank + 1), 1000 * (rank + 1));
    late = false;
    preallocate(program, file, 300, 1000 * (rank + 1));
  }
  program.good(MPI_File_set_size(file, 500), "MPI_File_set_size");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

/// Each rank's pointer is behind its bytes, in a view that begins at the second int of all.
void keep_bytes(Program& program, const std::string& path) {
  MPI_File file = opened(program, path, MPI_MODE_CREATE | MPI_MODE_RDWR);
  program.good(MPI_File_set_view(file, 4, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), "MPI_File_set_view");
  program.good(MPI_File_seek(file, ints * program.rank, MPI_SEEK_SET), "MPI_File_seek");
  const auto data = values(program.rank, ints);
  MPI_Status status;
  program.good(MPI_File_write_all(file, data.data(), ints, MPI_INT, &status), "MPI_File_write_all");
  MPI_Barrier(MPI_COMM_WORLD);
  const MPI_Offset length = 4 + 4LL * ints * program.size;
  preallocate(program, file, length, length);
  preallocate(program, file, length + 5000, length + 5000);
  MPI_Offset position = -1;
  program.good(MPI_File_get_position(file, &position), "MPI_File_get_position");
  program.equal(position, ints * (program.rank + 1), "the file pointer");
  std::vector<int> found(ints, -5);
  program.good(MPI_File_read_at(file, ints * program.rank, found.data(), ints, MPI_INT, &status),
               "MPI_File_read_at");
  program.that(found == data, "bytes after preallocating");
  found.assign(ints, -5);
  program.good(MPI_File_read_at(file, ints * program.size, found.data(), ints, MPI_INT, &status),
               "MPI_File_read_at");
  program.that(found == std::vector<int>(ints, 0), "bytes behind the old end");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

/// Blocks on disk, of a file that was a hole.
void make_room(Program& program, const std::string& path) {
  MPI_File file = opened(program, path, MPI_MODE_CREATE | MPI_MODE_WRONLY);
  program.good(MPI_File_set_size(file, 100'000), "MPI_File_set_size");
  preallocate(program, file, 200'000, 200'000);
  struct stat about {};
  program.equal(stat(path.c_str(), &about), 0, "stat");
  program.that(512 * about.st_blocks >= 200'000, "the file has its blocks");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

void refuse(Program& program, const std::string& path) {
  MPI_File file = opened(program, path, MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_File_set_errhandler(file, MPI_ERRORS_RETURN);
  if (program.size > 1)
    program.that(MPI_File_preallocate(file, program.rank == 0 ? 100 : 200) != MPI_SUCCESS, "sizes differ");
  program.that(MPI_File_preallocate(file, -1) != MPI_SUCCESS, "a size below 0");
  program.good(MPI_File_close(&file), "MPI_File_close");
  file = opened(program, path, MPI_MODE_RDONLY);
  MPI_File_set_errhandler(file, MPI_ERRORS_RETURN);
  program.that(MPI_File_preallocate(file, 100) != MPI_SUCCESS, "a file that was opened read-only");
  program.good(MPI_File_close(&file), "MPI_File_close");
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  keep_step(program, program.temporary("step"));
  keep_bytes(program, program.temporary("bytes"));
  make_room(program, program.temporary("room"));
  refuse(program, program.temporary("refused"));
  return program.finish();
}
