/* Each rank has every size-th element of an array, and writes them at once: hello FILE */
#include <collio/collio.h>
#include <stdio.h>

enum { mine = 5 };

static void check(int code) {
  if (code == COLLIO_OK) return;
  fprintf(stderr, "hello: %s\n", collio_error_text());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int wrong_numbers(const char* path, int64_t count) {
  FILE* file = fopen(path, "rb");
  int wrong = 0;
  for (int32_t number, i = 0; i < count; ++i)
    wrong += !file || fread(&number, sizeof number, 1, file) != 1 || number != 1000 + i;
  if (file) fclose(file);
  return wrong;
}

int main(int argc, char** argv) {
  const char* path = argc > 1 ? argv[1] : "hello.raw";
  int rank, size, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  /* Which elements this rank has, and their values. */
  const int64_t shape[] = {(int64_t)mine * size};
  int64_t map[mine];
  int32_t data[mine];
  for (int i = 0; i < mine; ++i) {
    map[i] = (int64_t)i * size + rank;
    data[i] = (int32_t)(1000 + map[i]);
  }

  collio_file* file;
  collio_decomposition* cells;
  collio_variable* numbers;
  check(collio_open(MPI_COMM_WORLD, path, COLLIO_WRITE | COLLIO_CREATE | COLLIO_TRUNCATE, NULL, &file));
  check(collio_map(1, shape, mine, map, &cells));
  check(collio_define(file, cells, sizeof data[0], 0, 0, &numbers));
  check(collio_put(numbers, 0, data, NULL));
  check(collio_commit(file, NULL));
  check(collio_close(&file));
  check(collio_free(&cells));

  if (rank == 0) {
    wrong = wrong_numbers(path, shape[0]);
    printf("hello: %d of %d numbers are wrong\n", wrong, (int)shape[0]);
  }
  MPI_Finalize();
  return wrong != 0;
}
