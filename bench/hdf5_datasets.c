/* Parallel HDF5: DATASETS variables of a regular grid, each created, written and read back by one collective
   call through a hyperslab. Prints the seconds of both phases as collio_bench does. For bench/regression,
   which compiles it with HDF5's own compiler wrapper.

     hdf5_datasets FILE */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { DATASETS = 24, LEVELS = 8, NY = 128, NX = 128 };
static int rank, ranks, grid[2];

static hid_t good(hid_t result, const char* call) {
  if (result >= 0) return result;
  fprintf(stderr, "hdf5_datasets: rank %d: %s failed\n", rank, call);
  MPI_Abort(MPI_COMM_WORLD, 1);
  return result;
}
#define H5(call) good((hid_t)(call), #call)

/* This rank's block [LEVELS][rows][columns] of a variable. */
static hid_t block(void) {
  const hsize_t size[3] = {LEVELS, NY, NX};
  const int at[2] = {rank / grid[1], rank % grid[1]};
  hsize_t start[3] = {0}, count[3] = {LEVELS};
  for (int d = 0; d < 2; ++d) {
    start[d + 1] = size[d + 1] * (hsize_t)at[d] / (hsize_t)grid[d];
    count[d + 1] = size[d + 1] * (hsize_t)(at[d] + 1) / (hsize_t)grid[d] - start[d + 1];
  }
  const hid_t space = H5(H5Screate_simple(3, size, NULL));
  H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
  return space;
}

/* Seconds until all ranks have written or read every dataset. */
static double phase(hid_t file, int write, double* values) {
  const hid_t space = block(), transfer = H5(H5Pcreate(H5P_DATASET_XFER));
  const hsize_t count = (hsize_t)H5(H5Sget_select_npoints(space));
  const hid_t memory = H5(H5Screate_simple(1, &count, NULL));
  H5(H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE));
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < DATASETS; ++i) {
    char name[16];
    snprintf(name, sizeof name, "field%d", i);
    const hid_t dataset =
        write ? H5(H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))
              : H5(H5Dopen2(file, name, H5P_DEFAULT));
    if (write)
      H5(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, transfer, values));
    else
      H5(H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, transfer, values));
    H5(H5Dclose(dataset));
  }
  double seconds = MPI_Wtime() - begin, longest = 0;
  MPI_Allreduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  H5(H5Pclose(transfer));
  H5(H5Sclose(memory));
  H5(H5Sclose(space));
  return longest;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 2) return fprintf(stderr, "usage: hdf5_datasets FILE\n"), MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Dims_create(ranks, 2, grid);
  double* values = calloc((size_t)LEVELS * NY * NX, sizeof *values);
  const hid_t access = H5(H5Pcreate(H5P_FILE_ACCESS));
  H5(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL));
  const hid_t file = H5(H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, access));
  const double written = phase(file, 1, values), read = phase(file, 0, values);
  H5(H5Fclose(file));
  H5(H5Pclose(access));
  if (rank == 0)
    printf(
        "{\"operations\": [{\"operation\": \"write\", \"seconds\": %.9f}, {\"operation\": \"read\", "
        "\"seconds\": %.9f}]}\n",
        written, read);
  free(values);
  MPI_Finalize();
  return 0;
}
