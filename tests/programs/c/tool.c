/* A tool of MPI's profiling interface: counts the program's calls and tells at the end. TOOL_LOOKS: it looks
 * for the next library's functions, as Darshan does, instead of calling the profiling names. TOOL_OF_FILES:
 * it does not have MPI_Init. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static int opens, writes, reads, duplicates, waits;

#ifdef TOOL_LOOKS
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#else
#define NEXT(name) name
#endif

#ifndef TOOL_OF_FILES
int MPI_Init(int* argc, char*** argv) { return NEXT(PMPI_Init)(argc, argv); }
#endif

int MPI_File_open(MPI_Comm comm, const char* path, int mode, MPI_Info info, MPI_File* file) {
  ++opens;
  return NEXT(PMPI_File_open)(comm, path, mode, info, file);
}

int MPI_File_write_all(MPI_File file, const void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
  ++writes;
  return NEXT(PMPI_File_write_all)(file, buffer, count, type, status);
}

int MPI_File_read_at_all(MPI_File file, MPI_Offset offset, void* buffer, int count, MPI_Datatype type,
                         MPI_Status* status) {
  ++reads;
  return NEXT(PMPI_File_read_at_all)(file, offset, buffer, count, type, status);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* copy) {
  ++duplicates;
  return NEXT(PMPI_Comm_dup)(comm, copy);
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  ++waits;
  return NEXT(PMPI_Wait)(request, status);
}

int MPI_Finalize(void) {
  int rank;
  NEXT(PMPI_Comm_rank)(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    printf("tool: open %d, write_all %d, read_at_all %d, dup %d, wait %d\n", opens, writes, reads, duplicates,
           waits);
  fflush(stdout);
  return NEXT(PMPI_Finalize)();
}
