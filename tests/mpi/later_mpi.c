/* Functions of MPI 4.1 for older libraries. They ask the MPI library itself, by its PMPI names looked up in
 * it, so that nothing but collio moves calls on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

typedef int (*status_function)(MPI_Request, int*, MPI_Status*);

static status_function status_of(void) {
  static status_function function;
  Dl_info library;
  if (function) return function;
  /* Of a function that collio does not stand in front of. */
  if (!dladdr(dlsym(RTLD_DEFAULT, "MPI_Get_version"), &library)) return NULL;
  *(void**)&function = dlsym(dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD), "PMPI_Request_get_status");
  return function;
}

#define EXPORT __attribute__((visibility("default")))

EXPORT int PMPI_Request_get_status_all(int count, const MPI_Request* requests, int* flag,
                                       MPI_Status* statuses) {
  (void)statuses;
  *flag = 1;
  for (int i = 0; i < count && *flag; ++i) status_of()(requests[i], flag, MPI_STATUS_IGNORE);
  return MPI_SUCCESS;
}

EXPORT int PMPI_Request_get_status_any(int count, const MPI_Request* requests, int* index, int* flag,
                                       MPI_Status* status) {
  *flag = 0;
  for (int i = 0; i < count && !*flag; ++i) {
    status_of()(requests[i], flag, status);
    *index = i;
  }
  return MPI_SUCCESS;
}

EXPORT int PMPI_Request_get_status_some(int count, const MPI_Request* requests, int* done, int* indices,
                                        MPI_Status* statuses) {
  (void)statuses;
  *done = 0;
  for (int i = 0; i < count; ++i) {
    int flag = 0;
    status_of()(requests[i], &flag, MPI_STATUS_IGNORE);
    if (flag) indices[(*done)++] = i;
  }
  return MPI_SUCCESS;
}

EXPORT int MPI_Request_get_status_all(int, const MPI_Request*, int*, MPI_Status*)
    __attribute__((alias("PMPI_Request_get_status_all")));
EXPORT int MPI_Request_get_status_any(int, const MPI_Request*, int*, int*, MPI_Status*)
    __attribute__((alias("PMPI_Request_get_status_any")));
EXPORT int MPI_Request_get_status_some(int, const MPI_Request*, int*, int*, MPI_Status*)
    __attribute__((alias("PMPI_Request_get_status_some")));
