/* A program of HDF5 whose time has one planted cause: hdf5_causes CAUSE FILE. */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 400, COLUMNS = 256, SELECTED = 6000, DATASETS = 1500, FILL_BYTES = 128 << 20, STEPS = 20 };

static int rank, size;
static double data[ROWS * COLUMNS];
static hid_t collective;

static hid_t created(hid_t file, const char* name, hid_t type, hsize_t elements, hid_t properties) {
  hid_t space = H5Screate_simple(1, &elements, NULL);
  hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  H5Sclose(space);
  return dataset;
}

/* `count` elements of the dataset, from `start`, by each rank. */
static void write_part(hid_t dataset, hsize_t start, hsize_t count, hid_t transfer) {
  hid_t place = H5Dget_space(dataset), memory = H5Screate_simple(1, &count, NULL);
  H5Sselect_hyperslab(place, H5S_SELECT_SET, &start, NULL, &count, NULL);
  H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, place, transfer, data);
  H5Sclose(memory);
  H5Sclose(place);
}

/* Elements picked one by one, each selection added to the earlier ones. */
static void selections(hid_t file) {
  hid_t dataset = created(file, "picked", H5T_NATIVE_DOUBLE, 4 * SELECTED * size, H5P_DEFAULT);
  hid_t place = H5Dget_space(dataset);
  hsize_t count = SELECTED, one = 1;
  hid_t memory = H5Screate_simple(1, &count, NULL);
  H5Sselect_none(place);
  for (hsize_t i = 0; i < SELECTED; ++i) {
    hsize_t at = (i * 7919 % SELECTED * 4 + i % 3) * size + rank;
    H5Sselect_hyperslab(place, H5S_SELECT_OR, &at, NULL, &one, NULL);
  }
  H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, place, collective, data);
  H5Sclose(memory);
  H5Sclose(place);
  H5Dclose(dataset);
}

static void definitions(hid_t file) {
  for (int i = 0; i < DATASETS; ++i) {
    char name[32];
    snprintf(name, sizeof name, "small.%d", i);
    H5Dclose(created(file, name, H5T_NATIVE_INT, 4, H5P_DEFAULT));
  }
}

static void fill(hid_t file) {
  const double value = 1;
  hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_value(properties, H5T_NATIVE_DOUBLE, &value);
  H5Pset_fill_time(properties, H5D_FILL_TIME_ALLOC);
  hid_t dataset = created(file, "filled", H5T_NATIVE_DOUBLE, FILL_BYTES / sizeof(double), properties);
  write_part(dataset, 64 * rank, 64, collective);
  H5Dclose(dataset);
  H5Pclose(properties);
}

static void rows(hid_t file, hid_t type, hid_t transfer, int late) {
  hid_t dataset = created(file, "rows", type, (hsize_t)ROWS * COLUMNS * size, H5P_DEFAULT);
  for (int step = 0; step < STEPS; ++step)
    for (int row = 0; row < (late ? 2 : ROWS); ++row) {
      if (late && rank == 1) usleep(20000);
      write_part(dataset, ((hsize_t)row * size + rank) * COLUMNS, COLUMNS, transfer);
    }
  H5Dclose(dataset);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* cause = argv[1];
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
  collective = H5Pcreate(H5P_DATASET_XFER);
  H5Pset_dxpl_mpio(collective, H5FD_MPIO_COLLECTIVE);
  hid_t file = H5Fcreate(argv[2], H5F_ACC_TRUNC, H5P_DEFAULT, access);
  if (strcmp(cause, "selections") == 0) selections(file);
  if (strcmp(cause, "definitions") == 0) definitions(file);
  if (strcmp(cause, "fill") == 0) fill(file);
  if (strcmp(cause, "independent") == 0) rows(file, H5T_NATIVE_DOUBLE, H5P_DEFAULT, 0);
  if (strcmp(cause, "conversion") == 0) rows(file, H5T_NATIVE_FLOAT, collective, 0);
  if (strcmp(cause, "late") == 0) rows(file, H5T_NATIVE_DOUBLE, collective, 1);
  H5Fclose(file);
  H5Pclose(access);
  H5Pclose(collective);
  MPI_Finalize();
  return 0;
}
