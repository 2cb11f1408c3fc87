/* Plain MPI-IO: pieces of 100 bytes that alternate between the ranks. */
#include "check.h"

enum { PIECE = 100, PIECES = 200 };

static void visit(const char* path, int write, int rank, int ranks) {
  static char data[PIECE * PIECES], wanted[PIECE * PIECES];
  MPI_Datatype pieces;
  MPI_File file;
  memset(wanted, 'a' + rank, sizeof wanted);
  if (write) memcpy(data, wanted, sizeof data);
  MPI_Type_vector(PIECES, PIECE, PIECE * ranks, MPI_BYTE, &pieces);
  MPI_Type_commit(&pieces);
  if (MPI_File_open(MPI_COMM_WORLD, path, write ? MPI_MODE_CREATE | MPI_MODE_WRONLY : MPI_MODE_RDONLY,
                    MPI_INFO_NULL, &file) != MPI_SUCCESS)
    stop("MPI_File_open", path);
  MPI_File_set_view(file, (MPI_Offset)rank * PIECE, MPI_BYTE, pieces, "native", MPI_INFO_NULL);
  if (write)
    MPI_File_write_all(file, data, sizeof data, MPI_BYTE, MPI_STATUS_IGNORE);
  else
    MPI_File_read_at_all(file, 0, data, sizeof data, MPI_BYTE, MPI_STATUS_IGNORE);
  check(memcmp(data, wanted, sizeof data) == 0, "pieces");
  MPI_File_close(&file);
  MPI_Type_free(&pieces);
  memset(data, 0, sizeof data);
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3) stop("arguments", "usage: turns write|read FILE");
  if (strcmp(argv[1], "write") == 0) visit(argv[2], 1, rank, ranks);
  visit(argv[2], 0, rank, ranks);
  return verdict();
}
