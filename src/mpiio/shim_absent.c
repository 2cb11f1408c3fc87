/* Where the engine cannot be loaded, the ranks that have one hear of it when they open a file: their reduction (mpiio/open_agreement.cpp) has a part for
 * this rank too. Then the file is the MPI library's on all of them.
 */
#include <stdint.h>
#include <stddef.h>

#include "mpiio/calls.h"
#include "mpiio/shim.h"

typedef int (*ask_function)(MPI_Comm, int*);
typedef int (*reduce_function)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*);
typedef int (*wait_function)(MPI_Request*, MPI_Status*);

/* Constants of Open MPI are symbols of its library. */
#ifdef OPEN_MPI
static MPI_Comm comm_of(handle comm) { return comm == shim_find("ompi_mpi_comm_null") ? NULL : (MPI_Comm)comm; }
static MPI_Datatype int_type(void) { return (MPI_Datatype)shim_find("ompi_mpi_int"); }
static MPI_Op least_of(void) { return (MPI_Op)shim_find("ompi_mpi_op_min"); }
static int is_null(MPI_Comm comm) { return comm == NULL; }
#else
static MPI_Comm comm_of(handle comm) { return (MPI_Comm)(intptr_t)comm; }
static MPI_Datatype int_type(void) { return MPI_INT; }
static MPI_Op least_of(void) { return MPI_MIN; }
static int is_null(MPI_Comm comm) { return comm == MPI_COMM_NULL; }
#endif

void shim_tell_absent(handle program_comm, int mode, int opened) {
  const MPI_Comm comm = comm_of(program_comm);
  ask_function test_inter = NULL, size_of = NULL;
  reduce_function reduce = NULL;
  wait_function wait = NULL;
  *(void**)&test_inter = shim_find("MPI_Comm_test_inter");
  *(void**)&size_of = shim_find("MPI_Comm_size");
  *(void**)&reduce = shim_find("MPI_Iallreduce");
  *(void**)&wait = shim_find("MPI_Wait");
  if (!test_inter || !size_of || !reduce || !wait || is_null(comm)) return;
  int inter = 0, size = 1, mine[collio_open_words], least[collio_open_words];
  if (test_inter(comm, &inter) != MPI_SUCCESS || inter) return;
  if (size_of(comm, &size) != MPI_SUCCESS || size == 1) return;
  for (int i = 0; i < collio_open_words; ++i) mine[i] = 1;
  mine[collio_open_engine] = 0;
  mine[collio_open_by_library] = opened;
  mine[collio_open_mode] = mode;
  mine[collio_open_minus_mode] = -mode;
  MPI_Request request;
  MPI_Status status;
  if (reduce(mine, least, collio_open_words, int_type(), least_of(), comm, &request) == MPI_SUCCESS) wait(&request, &status);
}
