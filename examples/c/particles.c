/* Particles of nine variables, 38 bytes each, which memory has as structs: particles FILE
   The file gets them twice: first as they are, then as nine arrays. Neither needs a copy. */
#include <collio/collio.h>
#include <stdio.h>
#include <string.h>

#pragma pack(push, 1)
typedef struct particle {
  float x, y, z, vx, vy, vz, phi;
  int64_t id;
  int16_t mask;
} particle;
#pragma pack(pop)

enum { variables = 9, mine = 1000 };
static const int64_t size_of_variable[variables] = {4, 4, 4, 4, 4, 4, 4, 8, 2};

static void check(int code) {
  if (code == COLLIO_OK) return;
  fprintf(stderr, "particles: %s\n", collio_error_text());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  const char* path = argc > 1 ? argv[1] : "particles.raw";
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int64_t all = (int64_t)mine * size, first = (int64_t)mine * rank, count = mine;
  static particle p[mine], structs[mine], arrays[mine];
  for (int i = 0; i < mine; ++i) p[i] = (particle){i, 2, 3, 4, 5, 6, 7.5f, first + i, (int16_t)(i % 100)};
  collio_file* file;
  collio_decomposition* block;
  collio_variable *whole, *one[variables];
  check(collio_open(MPI_COMM_WORLD, path, COLLIO_READ | COLLIO_WRITE | COLLIO_CREATE, NULL, &file));
  check(collio_box(1, &all, &first, &count, &block));
  check(collio_define(file, block, sizeof *p, 0, 0, &whole));
  check(collio_put(whole, 0, p, NULL));
  check(collio_get(whole, 0, structs, NULL));

  const int64_t stride = sizeof *p; /* from a member to the next particle's */
  const collio_layout members = {1, &count, &stride};
  for (int64_t v = 0, at = 0; v < variables; at += size_of_variable[v++]) {
    check(collio_define(file, block, size_of_variable[v], all * (stride + at), 0, &one[v]));
    check(collio_put(one[v], 0, (const char*)p + at, &members));
    check(collio_get(one[v], 0, (char*)arrays + at, &members));
  }
  check(collio_commit(file, NULL)); /* ten variables, one write */
  check(collio_fetch(file, NULL));
  check(collio_close(&file));
  check(collio_free(&block));

  int wrong = memcmp(p, structs, sizeof p) != 0 || memcmp(p, arrays, sizeof p) != 0;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) printf("particles: %s\n", wrong ? "WRONG" : "the same as structs and as arrays");
  MPI_Finalize();
  return wrong;
}
