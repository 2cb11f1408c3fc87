/* Between the program and its MPI library: MPI_File_get_info tells of a striped file, as ROMIO does on
 * Lustre. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

/* What it tells; null: nothing. */
EXPORT const char* collio_test_striping_unit = NULL;
EXPORT const char* collio_test_striping_factor = NULL;

EXPORT int MPI_File_get_info(MPI_File file, MPI_Info* info) {
  int (*library)(MPI_File, MPI_Info*) = NULL;
  *(void**)&library = dlsym(RTLD_NEXT, "PMPI_File_get_info");
  const int code = library(file, info);
  if (code == MPI_SUCCESS && collio_test_striping_unit)
    MPI_Info_set(*info, "striping_unit", collio_test_striping_unit);
  if (code == MPI_SUCCESS && collio_test_striping_factor)
    MPI_Info_set(*info, "striping_factor", collio_test_striping_factor);
  return code;
}
