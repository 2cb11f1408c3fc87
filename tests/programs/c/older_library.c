/* Prints what a function of collio.h returns, and the text of its error. */
#include <mpi.h>
#include <stdio.h>

#include <collio/collio.h>

int main(int argc, char** argv) {
  const int64_t shape = 8, start = 0, count = 4;
  collio_decomposition* box = NULL;
  MPI_Init(&argc, &argv);
  const int code = collio_box(1, &shape, &start, &count, &box);
  printf("code %d: %s\n", code, collio_error_text());
  collio_free(&box);
  MPI_Finalize();
  return 0;
}
