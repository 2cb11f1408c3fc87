/* Writes pieces of 100 bytes that alternate between the ranks, reads them back, returns `argv[2]` (default 0)
 * when all is right. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 100, PIECES = 200 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char written[PIECE * PIECES], read[PIECE * PIECES];
  memset(written, 'a' + rank, sizeof written);
  memset(read, 0, sizeof read);

  MPI_Datatype pieces;
  MPI_Type_vector(PIECES, PIECE, PIECE * ranks, MPI_BYTE, &pieces);
  MPI_Type_commit(&pieces);
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_set_view(file, (MPI_Offset)rank * PIECE, MPI_BYTE, pieces, "native", MPI_INFO_NULL);
  MPI_File_write_all(file, written, sizeof written, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_read_at_all(file, 0, read, sizeof read, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Type_free(&pieces);
  MPI_Finalize();
  if (memcmp(written, read, sizeof read) != 0) return 99;
  return argc > 2 ? atoi(argv[2]) : 0;
}
