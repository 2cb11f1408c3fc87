/* Writes steps of two fields on a grid whose rows are shared among the ranks: checkpoint FILE
   restart.c reads the file, on any number of ranks, and checks every value.
   A job that ends at any point leaves the FILE of before or the new one, whole: the new one has another name
   until all of it is on the disk. */
#include <fcntl.h>
#include <libgen.h>
#include <string.h>
#include <unistd.h>

#include "grid.h"

/* Gives a file the name of another, which it replaces, and flushes that name. */
static void replace(const char* path, const char* by) {
  char* folder = strdup(path);
  const int descriptor = open(dirname(folder), O_RDONLY);
  if (rename(by, path) != 0 || fsync(descriptor) != 0) {
    perror(path);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  close(descriptor);
  free(folder);
}

int main(int argc, char** argv) {
  const char* path = argc > 1 ? argv[1] : "checkpoint.raw";
  char unfinished[4096];
  snprintf(unfinished, sizeof unfinished, "%s.unfinished", path);
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  const int64_t start[] = {0, share_start(rows, rank, size), 0};
  const int64_t count[] = {levels, share_start(rows, rank + 1, size) - start[1], columns};
  const int64_t mine = count[0] * count[1] * count[2];
  double* t = malloc((size_t)mine * sizeof *t + 1);
  int16_t* m = malloc((size_t)mine * sizeof *m + 1);

  /* In the file a step has the temperature, then the mask. */
  collio_file* file;
  collio_decomposition* box;
  collio_variable *temperature, *mask;
  const int mode = COLLIO_WRITE | COLLIO_CREATE | COLLIO_TRUNCATE;
  check(collio_open(MPI_COMM_WORLD, unfinished, mode, NULL, &file));
  check(collio_box(3, shape, start, count, &box));
  check(collio_define(file, box, sizeof *t, 0, step_bytes, &temperature));
  check(collio_define(file, box, sizeof *m, cells * (int64_t)sizeof *t, step_bytes, &mask));
  check(collio_free(&box));

  for (int step = 0; step < steps; ++step) {
    for (int64_t i = 0; i < mine; ++i) {
      t[i] = temperature_of(step, cell_at(i, start, count));
      m[i] = mask_of(step, cell_at(i, start, count));
    }
    check(collio_put(temperature, step, t, NULL));
    check(collio_put(mask, step, m, NULL));
    check(collio_commit(file, NULL));
  }

  int64_t bytes;
  MPI_Barrier(MPI_COMM_WORLD);
  check(collio_size(file, &bytes));
  check(collio_sync(file));
  check(collio_close(&file));
  if (rank == 0 && bytes == steps * step_bytes) replace(path, unfinished);
  MPI_Barrier(MPI_COMM_WORLD); /* all ranks may use the new file */
  free(t);
  free(m);
  MPI_Finalize();
  return bytes != steps * step_bytes;
}
