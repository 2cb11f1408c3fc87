/* What the C programs of this folder share: arguments, a run's verdict, and a stop at the first library
   error. Usage of each: program write|read FILE. Ends with code 1 when a value is wrong. */
#ifndef COLLIO_TESTS_CHECK_H
#define COLLIO_TESTS_CHECK_H
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int wrong;

/* Counts a failed check; all ranks go on, so that none is left waiting. */
static void check(int ok, const char* what) {
  int rank;
  if (ok) return;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr, "rank %d: wrong: %s\n", rank, what);
  ++wrong;
}

/* Nothing that follows makes sense. */
static void stop(const char* call, const char* reason) {
  fprintf(stderr, "%s: %s\n", call, reason);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int verdict(void) {
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return wrong ? 1 : 0;
}
#endif
