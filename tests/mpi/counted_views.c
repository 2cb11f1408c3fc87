/* Between the program and its MPI library: counts the views that the library is given. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int collio_test_views = 0;

EXPORT int MPI_File_set_view(MPI_File file, MPI_Offset displacement, MPI_Datatype etype,
                             MPI_Datatype filetype, const char* representation, MPI_Info info) {
  int (*library)(MPI_File, MPI_Offset, MPI_Datatype, MPI_Datatype, const char*, MPI_Info) = NULL;
  *(void**)&library = dlsym(RTLD_NEXT, "PMPI_File_set_view");
  ++collio_test_views;
  return library(file, displacement, etype, filetype, representation, info);
}
