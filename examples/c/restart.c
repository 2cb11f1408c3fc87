/* Reads the last step that checkpoint.c wrote, with columns shared among any number of ranks: restart FILE */
#include "grid.h"

int main(int argc, char** argv) {
  const char* path = argc > 1 ? argv[1] : "checkpoint.raw";
  int rank, size, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  const int64_t start[] = {0, 0, share_start(columns, rank, size)};
  const int64_t count[] = {levels, rows, share_start(columns, rank + 1, size) - start[2]};
  const int64_t mine = count[0] * count[1] * count[2];
  double* t = malloc((size_t)mine * sizeof *t + 1);
  int16_t* m = malloc((size_t)mine * sizeof *m + 1);

  collio_file* file;
  collio_decomposition* box;
  collio_variable *temperature, *mask;
  int64_t bytes;
  check(collio_open(MPI_COMM_WORLD, path, COLLIO_READ, NULL, &file));
  check(collio_box(3, shape, start, count, &box));
  check(collio_define(file, box, sizeof *t, 0, step_bytes, &temperature));
  check(collio_define(file, box, sizeof *m, cells * (int64_t)sizeof *t, step_bytes, &mask));
  check(collio_size(file, &bytes));
  const int last = (int)(bytes / step_bytes) - 1;
  check(collio_get(temperature, last, t, NULL));
  check(collio_get(mask, last, m, NULL));
  check(collio_fetch(file, NULL));
  check(collio_close(&file));
  check(collio_free(&box));

  for (int64_t i = 0; i < mine; ++i) {
    const int64_t cell = cell_at(i, start, count);
    wrong += t[i] != temperature_of(last, cell) || m[i] != mask_of(last, cell);
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("restart: step %d on %d ranks: %d of %d cells are wrong\n", last, size, wrong, cells);
  free(t);
  free(m);
  MPI_Finalize();
  return wrong != 0;
}
