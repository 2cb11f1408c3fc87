// A disk of 8 MiB and a collective write of 16 MiB: MPI_ERR_NO_SPACE on every rank; a smaller file goes well
// afterwards.
//
// The disk is a tmpfs of rank 0's own, detached at once: the other ranks reach it through rank 0's open
// folder, and it is gone with the process, however that ends. Mounting needs rights; without them the program
// is skipped.
#include <fcntl.h>
#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "dealt_file.hpp"

using namespace collio::test;

namespace {

constexpr int block = 64;

/// Path of the disk for all ranks; empty where there is none. Collective.
std::string make_disk(Program& program) {
  char path[64] = "";
  if (program.rank == 0) {
    std::string name = std::filesystem::temp_directory_path() / "collio_disk.XXXXXX";
    char* const folder = name.data();
    if (mkdtemp(folder) && mount("collio_test", folder, "tmpfs", 0, "size=8m") == 0) {
      const int fd = open(folder, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
      umount2(folder, MNT_DETACH);
      if (fd >= 0) std::snprintf(path, sizeof path, "/proc/%d/fd/%d", static_cast<int>(getpid()), fd);
    } else {
      program.left_out(std::string("no tmpfs may be mounted here: ") + std::strerror(errno));
    }
    rmdir(folder);
  }
  MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
  int reachable = access(path, W_OK) == 0;
  MPI_Allreduce(MPI_IN_PLACE, &reachable, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (!reachable && path[0] != '\0' && program.rank == 0)
    program.left_out("the ranks do not reach rank 0's folder");
  return reachable ? path : "";
}

void fills_up(Program& program, const std::string& disk, const char* path, int others) {
  const int count = (16 << 20) / 4 / program.size / block * block,
            fits = count / 5 / block * block;  // the MPI library may keep a small file there
  const auto data = values(program.rank, count);
  MPI_File file = open_dealt(program, disk + "/full",
                             {.block = block, .hints = {{"collio_path", path}}, .others = others});
  MPI_Status status;
  const int code = MPI_File_write_all(file, data.data(), count, MPI_INT, &status);
  program.equal(program.same_error(code, "a write to a full disk must fail"), MPI_ERR_NO_SPACE,
                "class of the error");
  const int counted = status_bytes(status);
  program.that(counted >= 0 && counted < 4 * count, "not all bytes are counted as written");
  // What is counted can be read.
  std::vector<int> found(static_cast<std::size_t>(count));
  program.good(MPI_File_read_at_all(file, 0, found.data(), counted / 4, MPI_INT, &status),
               "MPI_File_read_at_all");
  found.resize(static_cast<std::size_t>(counted / 4));
  program.that(found == values(program.rank, counted / 4), "the bytes counted as written");

  program.good(MPI_File_set_size(file, 0), "MPI_File_set_size");
  program.good(MPI_File_write_at_all(file, 0, data.data(), fits, MPI_INT, &status),
               "a smaller write after the failure");
  found.assign(static_cast<std::size_t>(fits), 0);
  program.good(MPI_File_read_at_all(file, 0, found.data(), fits, MPI_INT, &status),
               "MPI_File_read_at_all of the smaller write");
  program.that(found == values(program.rank, fits), "data of the smaller write");
  program.good(MPI_File_close(&file), "MPI_File_close");
  if (program.rank == 0) unlink((disk + "/full").c_str());
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  const std::string disk = make_disk(program);
  if (!disk.empty()) {
    for (const int others : {0, program.size}) {
      fills_up(program, disk, "two_layer", others);
      fills_up(program, disk, "two_phase", others);
      fills_up(program, disk, "independent", others);
    }
  }
  return program.finish();
}
