/* What checkpoint.c and restart.c agree on: the file has steps of a temperature and a mask on a grid. */
#include <collio/collio.h>
#include <stdio.h>
#include <stdlib.h>

enum { levels = 4, rows = 30, columns = 21, cells = levels * rows * columns, steps = 3 };
static const int64_t shape[] = {levels, rows, columns};
static const int64_t step_bytes = (int64_t)cells * (sizeof(double) + sizeof(int16_t));

static inline double temperature_of(int step, int64_t cell) { return 1e6 * step + (double)cell; }
static inline int16_t mask_of(int step, int64_t cell) { return (int16_t)(step + cell % 7); }

/* The part-th of `parts` shares of n things. */
static inline int64_t share_start(int64_t n, int part, int parts) { return n * part / parts; }

/* The cell in place i of a box of the grid. */
static inline int64_t cell_at(int64_t i, const int64_t* start, const int64_t* count) {
  const int64_t level = i / count[2] / count[1], row = i / count[2] % count[1], column = i % count[2];
  return ((start[0] + level) * rows + start[1] + row) * columns + start[2] + column;
}

static inline void check(int code) {
  if (code == COLLIO_OK) return;
  fprintf(stderr, "%s\n", collio_error_text());
  MPI_Abort(MPI_COMM_WORLD, 1);
}
