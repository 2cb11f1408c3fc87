/* Where the engine cannot be loaded, the ranks that have one hear of it when they open a file: their
 * reduction (mpiio/open/open_agreement.cpp) has a part for this rank too. Then the file is the MPI library's
 * on all of them, unless it is kept in subfiles: the first rank looks, whatever it has.
 */
#include <limits.h>
#include <stddef.h>
#include <stdio.h>

#include "mpiio/shim/calls.h"
#include "mpiio/shim/shim.h"
#include "storage/subfile_format/mark.h"

typedef int (*ask_function)(handle, int*);
typedef int (*reduce_function)(const void*, void*, int, handle, handle, handle, handle*);
typedef int (*broadcast_function)(void*, int, handle, int, handle, handle*);
typedef int (*wait_function)(handle*, void*);

/* No library's status is longer. */
struct any_status {
  int64_t words[16];
};

static handle comm_of(const struct mpi_family* family, handle comm) {
  return family->comm_bytes == sizeof(int) ? (handle)(uintptr_t)(unsigned)(uintptr_t)comm : comm;
}

static int is_intracommunicator(const struct mpi_family* family, handle comm) {
  ask_function test_inter = NULL;
  int inter = 0;
  *(void**)&test_inter = shim_find("PMPI_Comm_test_inter");
  return test_inter && comm != shim_constant(&family->comm_null) && test_inter(comm, &inter) == MPI_SUCCESS &&
         !inter;
}

/* To what an engine would be invited. */
static int hear_invitation(const struct mpi_family* family, handle comm, wait_function wait) {
  broadcast_function broadcast = NULL;
  int invitation[collio_open_invitation] = {0};
  handle request = NULL;
  struct any_status status;
  *(void**)&broadcast = shim_find("PMPI_Ibcast");
  return broadcast &&
         broadcast(invitation, collio_open_invitation, shim_constant(&family->int_type), 0, comm, &request) ==
             MPI_SUCCESS &&
         wait(&request, &status) == MPI_SUCCESS;
}

int shim_tell_absent(handle program_comm, const char* path, int mode, int opened, const char* why) {
  static int said;
  const struct mpi_family* family = shim_family();
  if (!family) return 0;
  const handle comm = comm_of(family, program_comm);
  ask_function size_of = NULL, rank_of = NULL;
  reduce_function reduce = NULL;
  wait_function wait = NULL;
  *(void**)&size_of = shim_find("PMPI_Comm_size");
  *(void**)&rank_of = shim_find("PMPI_Comm_rank");
  *(void**)&reduce = shim_find("PMPI_Iallreduce");
  *(void**)&wait = shim_find("PMPI_Wait");
  if (!size_of || !rank_of || !reduce || !wait || !is_intracommunicator(family, comm)) return 0;
  int size = 1, rank = 0, mine[collio_open_words], least[collio_open_words];
  if (size_of(comm, &size) != MPI_SUCCESS || rank_of(comm, &rank) != MPI_SUCCESS) return 0;
  for (int i = 0; i < collio_open_words; ++i) mine[i] = i < collio_open_word ? 1 : INT_MAX;
  mine[collio_open_engine] = 0;
  mine[collio_open_by_library] = opened;
  mine[collio_open_mode] = mode;
  mine[collio_open_minus_mode] = -mode;
  mine[collio_open_plain] = rank != 0 || !opened || !path || !collio_may_open_placeholder(path);
  mine[collio_open_first_without] = rank;
  mine[collio_open_in_memory] = mine[collio_open_noted] = 0;
  for (int i = 0; i < collio_open_words; ++i) least[i] = mine[i];
  handle request = NULL;
  struct any_status status;
  if (size > 1 && (!hear_invitation(family, comm, wait) ||
                   reduce(mine, least, collio_open_words, shim_constant(&family->int_type),
                          shim_constant(&family->op_min), comm, &request) != MPI_SUCCESS ||
                   wait(&request, &status) != MPI_SUCCESS))
    return 0;
  shim_note_absent();
  const int refused = least[collio_open_by_library] && !least[collio_open_plain];
  if (least[collio_open_first_without] != rank) return refused;
  if (refused)
    fprintf(stderr, "collio: %s; %s is kept in subfiles, or may be: it cannot be opened\n", why, path);
  else if (!said++ && (size > 1 || shim_speaks())) /* every rank may open another file */
    fprintf(stderr, "collio: %s; calls pass through\n", why);
  return refused;
}
