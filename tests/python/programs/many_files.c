/* many_files FOLDER FILES: writes FILES files of one kind, one after the other, each with two collective
 * calls and an independent one of rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "collio_window", "small");
  for (int i = 0; i < atoi(argv[2]); ++i) {
    char path[4096], bytes[100] = "";
    MPI_File file;
    snprintf(path, sizeof path, "%s/out.%04d.dat", argv[1], i % 50);
    if (MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, info, &file) != MPI_SUCCESS)
      return 3;
    for (int call = 0; call < 2; ++call)
      MPI_File_write_at_all(file, 100 * rank, bytes, sizeof bytes, MPI_CHAR, MPI_STATUS_IGNORE);
    if (rank == 0) MPI_File_write_at(file, 0, bytes, 1, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    if (MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_WRONLY, info, &file) != MPI_SUCCESS) return 3;
    MPI_File_close(&file);
  }
  MPI_Info_free(&info);
  MPI_Finalize();
  return 0;
}
