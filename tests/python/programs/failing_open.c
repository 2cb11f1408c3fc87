/* Opens a file with modes that MPI does not allow. Exit code 0: the open failed on this rank.
 *
 *   failing_open PATH sequential|different */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int count, char** words) {
  MPI_Init(&count, &words);
  int rank = 0, mode = MPI_MODE_CREATE;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(words[2], "sequential") == 0)
    mode |= MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL;
  else
    mode |= rank == 0 ? MPI_MODE_RDWR : MPI_MODE_WRONLY;
  MPI_File file;
  const int code = MPI_File_open(MPI_COMM_WORLD, words[1], mode, MPI_INFO_NULL, &file);
  if (code == MPI_SUCCESS) MPI_File_close(&file);
  MPI_Finalize();
  return code == MPI_SUCCESS;
}
