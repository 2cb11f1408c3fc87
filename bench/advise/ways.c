/* Ways to write and read that collio does not serve: a program without a gain, for bench/measure_advise. Each
   rank has BLOCKS blocks of BLOCK_BYTES.

     ways WAY FOLDER    own      each rank a file of its own, by POSIX calls
                        gather   rank 0 gathers all blocks, and writes them by POSIX calls
                        posix    one file, blocks of the ranks in turn, by POSIX calls */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCKS = 256, BLOCK_BYTES = 64 << 10 };

static void stop_unless(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "ways: %s failed\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* COUNT blocks; the first at block FIRST of the file, each STEP blocks after the one before. */
static void write_and_read(const char* path, char* data, int count, int first, int step) {
  const int file = open(path, O_CREAT | O_RDWR, 0600);
  stop_unless(file >= 0, "open");
  char* back = malloc(BLOCK_BYTES);
  stop_unless(back != NULL, "malloc");
  for (int i = 0; i < count; ++i) {
    const off_t at = (off_t)(first + i * step) * BLOCK_BYTES;
    stop_unless(pwrite(file, data + (size_t)i * BLOCK_BYTES, BLOCK_BYTES, at) == BLOCK_BYTES, "pwrite");
  }
  for (int i = 0; i < count; ++i) {
    const off_t at = (off_t)(first + i * step) * BLOCK_BYTES;
    stop_unless(pread(file, back, BLOCK_BYTES, at) == BLOCK_BYTES, "pread");
    stop_unless(memcmp(back, data + (size_t)i * BLOCK_BYTES, BLOCK_BYTES) == 0, "comparing");
  }
  free(back);
  close(file);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  stop_unless(argc == 3, "reading the arguments");
  const int gathers = strcmp(argv[1], "gather") == 0, own = strcmp(argv[1], "own") == 0;
  const size_t bytes = (size_t)BLOCKS * BLOCK_BYTES;
  char path[4096];
  snprintf(path, sizeof path, "%s/ways.%d", argv[2], own ? rank : 0);
  char *mine = malloc(bytes), *all = malloc(gathers && rank == 0 ? ranks * bytes : 1);
  stop_unless(mine != NULL && all != NULL, "malloc");
  memset(mine, 'a' + rank % 26, bytes);
  if (gathers) {
    MPI_Gather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank == 0) write_and_read(path, all, ranks * BLOCKS, 0, 1);
  } else if (own) {
    write_and_read(path, mine, BLOCKS, 0, 1);
  } else {
    write_and_read(path, mine, BLOCKS, rank, ranks);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  free(mine);
  free(all);
  MPI_Finalize();
}
