/* Rank 1 waits in H5Fopen of a pipe, which nobody writes for 4 s, while the others are in a collective write:
   hdf5_waits FILE PIPE. */
#include <fcntl.h>
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_to_pipe_later(const char* pipe) {
  if (fork()) return;
  sleep(4);
  _exit(open(pipe, O_WRONLY | O_NONBLOCK) < 0);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  MPI_Init(&argc, &argv);
  int rank, value;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_File file;
  if (MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file)) return 1;
  if (rank == 1) {
    if (mkfifo(argv[2], 0600)) return 1;
    write_to_pipe_later(argv[2]);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (H5Fopen(argv[2], H5F_ACC_RDONLY, H5P_DEFAULT) >= 0) return 1;
  }
  value = rank;
  MPI_File_write_at_all(file, 4 * rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
