/* killed FOLDER: has three files open, one written by a collective call, one by independent calls, one not at
 * all, when rank 0 kills the job. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>

static MPI_File opened(const char* folder, const char* name) {
  char path[4096];
  MPI_File file;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  return file;
}

int main(int argc, char** argv) {
  int rank = 0;
  char bytes[100] = "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_File collective = opened(argv[1], "collective"), independent = opened(argv[1], "independent");
  opened(argv[1], "untouched");
  MPI_File_write_at_all(collective, 100 * rank, bytes, sizeof bytes, MPI_CHAR, MPI_STATUS_IGNORE);
  for (int i = 0; i < 4; ++i)
    MPI_File_write_at(independent, 100 * rank, bytes, sizeof bytes, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  raise(SIGKILL);
  return 0;
}
