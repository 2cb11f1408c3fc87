/* pnetcdf_values VARIABLE FILE...: a line for each file, with the lengths of the variable's dimensions, a
 * colon, and its values, as PnetCDF reads them. */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>

static void good(int code, const char* file) {
  if (code == NC_NOERR) return;
  fprintf(stderr, "%s: %s\n", file, ncmpi_strerror(code));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void tell(const char* name, const char* path, int rank) {
  int file, variable, dims, dimensions[8];
  MPI_Offset length, all = 1;
  good(ncmpi_open(MPI_COMM_WORLD, path, NC_NOWRITE, MPI_INFO_NULL, &file), path);
  good(ncmpi_inq_varid(file, name, &variable), path);
  good(ncmpi_inq_varndims(file, variable, &dims), path);
  good(ncmpi_inq_vardimid(file, variable, dimensions), path);
  for (int i = 0; i < dims; ++i) {
    good(ncmpi_inq_dimlen(file, dimensions[i], &length), path);
    if (rank == 0) printf("%lld ", (long long)length);
    all *= length;
  }
  double* values = malloc((size_t)all * sizeof *values + 1);
  good(ncmpi_get_var_double_all(file, variable, values), path);
  if (rank == 0) printf(":");
  for (MPI_Offset i = 0; rank == 0 && i < all; ++i) printf(" %.17g", values[i]);
  if (rank == 0) printf("\n");
  free(values);
  good(ncmpi_close(file), path);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 2; i < argc; ++i) tell(argv[1], argv[i], rank);
  MPI_Finalize();
  return 0;
}
