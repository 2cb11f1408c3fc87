/* Writes steps of eight fields from memory for two: stream FILE
   The fields of a step are declared, so that each is written while the next one is computed. */
#include <collio/collio.h>
#include <stdio.h>

enum { fields = 8, mine = 10000, steps = 3 };

static void check(int code) {
  if (code == COLLIO_OK) return;
  fprintf(stderr, "stream: %s\n", collio_error_text());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void compute(float* data, int step, int field, int rank) {
  for (int i = 0; i < mine; ++i) data[i] = (float)(step * 1000 + field * 100 + rank) + (float)i / mine;
}

int main(int argc, char** argv) {
  const char* path = argc > 1 ? argv[1] : "stream.raw";
  int rank, size, provided, wrong = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided); /* then the writing has a thread */
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int64_t all = (int64_t)mine * size, first = (int64_t)mine * rank, count = mine,
                bytes = all * (int64_t)sizeof(float);
  static float memory[2][mine];
  collio_file* file;
  collio_decomposition* block;
  collio_part parts[fields];
  check(collio_open(MPI_COMM_WORLD, path, COLLIO_READ | COLLIO_WRITE | COLLIO_CREATE, NULL, &file));
  check(collio_box(1, &all, &first, &count, &block));
  for (int f = 0; f < fields; ++f) {
    check(collio_define(file, block, sizeof(float), f * bytes, fields * bytes, &parts[f].variable));
    parts[f].record = 0;
  }
  check(collio_declare(file, fields, parts, 2));
  for (int step = 0; step < steps; ++step) {
    for (int f = 0; f < fields; ++f) {
      if (f >= 2) check(collio_wait_puts(file, f - 1)); /* whose memory this is */
      compute(memory[f % 2], step, f, rank);
      check(collio_put(parts[f].variable, step, memory[f % 2], NULL));
    }
    check(collio_commit(file, NULL));
  }
  check(collio_declare(file, 0, NULL, 0));
  for (int i = 0; i < steps * fields; ++i) {
    check(collio_get(parts[i % fields].variable, i / fields, memory[0], NULL));
    check(collio_fetch(file, NULL));
    compute(memory[1], i / fields, i % fields, rank);
    for (int k = 0; k < mine; ++k) wrong |= memory[0][k] != memory[1][k];
  }
  check(collio_close(&file));
  check(collio_free(&block));
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) printf("stream: %s\n", wrong ? "WRONG" : "all fields are right");
  MPI_Finalize();
  return wrong;
}
