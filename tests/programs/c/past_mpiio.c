/* A job that uses MPI but not MPI-IO: past_mpiio [write PREFIX]. With PREFIX each rank writes 4 MiB to
 * PREFIX.RANK. -DAS_LIBRARY makes a library of it that stands in for PnetCDF 1.15, whose default driver
 * writes by itself; -DWITH_LIBRARY makes the program that uses it. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { bytes = 4 << 20 };

int past_mpiio_write(const char* path);
const char* ncmpi_inq_libvers(void);

#ifndef WITH_LIBRARY
int past_mpiio_write(const char* path) {
  char* data = calloc(1, bytes);
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const int wrong = fd < 0 || !data || write(fd, data, bytes) != bytes || close(fd) != 0;
  free(data);
  return wrong;
}
#endif

#ifdef AS_LIBRARY
const char* ncmpi_inq_libvers(void) { return "1.15.0 of 1 Jan 2026"; }
#else
int main(int argc, char** argv) {
  int rank = 0, wrong = 0;
  char path[4096];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc == 3) {
    snprintf(path, sizeof path, "%s.%d", argv[2], rank);
    wrong = past_mpiio_write(path);
  }
  MPI_Finalize();
  return wrong;
}
#endif
