/* own_files PREFIX: each rank opens, writes and closes a file of its own. */
#include "check.h"

int main(int argc, char** argv) {
  int rank = 0;
  char path[4096];
  MPI_File file;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(path, sizeof path, "%s.%d", argc == 2 ? argv[1] : "own", rank);
  if (MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file) !=
      MPI_SUCCESS)
    stop("MPI_File_open", path);
  MPI_File_write_all(file, path, 10, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
