/* Opens, writes and closes files on communicators of their own, until ranks kill themselves.
   argv: file, microseconds until then, and the rank; without: all ranks. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

enum { bytes = 1 << 18, piece = 64 };

static void end(int number) {
  (void)number;
  raise(SIGKILL);
}

/* The windows' memory is made again for each file, as none that is kept has its size. */
static void use(const char* path, int turn, const char* data) {
  const char* const windows[] = {"8192", "65536", "524288"};
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "collio_path", "two_layer");
  MPI_Info_set(info, "collio_window", windows[turn % 3]);
  MPI_File file;
  MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
  MPI_Datatype type;
  MPI_Type_vector(bytes / piece, piece, piece * size, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_File_set_view(file, (MPI_Offset)piece * rank, MPI_BYTE, type, "native", MPI_INFO_NULL);
  MPI_File_write_at_all(file, 0, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Type_free(&type);
  MPI_Info_free(&info);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long after_us = argc > 2 ? atol(argv[2]) : 0;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  static char data[bytes];
  memset(data, 'x', bytes);
  signal(SIGALRM, end);
  MPI_Barrier(MPI_COMM_WORLD);
  const struct itimerval timer = {{0, 0}, {after_us / 1000000, after_us % 1000000}};
  if (argc < 4 || rank == atoi(argv[3])) setitimer(ITIMER_REAL, &timer, NULL);
  for (int turn = 0;; ++turn) use(argv[1], turn, data);
}
