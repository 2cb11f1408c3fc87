/* Parallel HDF5: a plane dealt out by columns, a chunked plane of blocks, and a list of single points, each
   written and read collectively. */
#include <hdf5.h>

#include "check.h"

#ifndef TRANSFER
#define TRANSFER H5FD_MPIO_COLLECTIVE
#endif

enum { ROWS = 96, WIDTH = 12, POINTS = 700 };
static int rank, ranks;

#define H5(call) h5(call, #call)
static hid_t h5(hid_t result, const char* call) {
  if (result < 0) stop(call, "failed");
  return result;
}

static double value(int dataset, hsize_t i) { return 1e6 * dataset + 1e4 * rank + (double)i; }

static void check_collective(hid_t transfer) {
  H5D_mpio_actual_io_mode_t mode;
  H5(H5Pget_mpio_actual_io_mode(transfer, &mode));
  check(mode != H5D_MPIO_NO_COLLECTIVE || TRANSFER == H5FD_MPIO_INDEPENDENT, "HDF5 made no collective call");
}

/* This rank's part of dataset `number`: elements selected in `space` become, or must be, value(number, i). */
static void transfer_part(hid_t dataset, hid_t space, int number, int write) {
  static double data[ROWS * WIDTH];
  const hsize_t count = (hsize_t)H5(H5Sget_select_npoints(space));
  hid_t memory = H5(H5Screate_simple(1, &count, NULL));
  hid_t transfer = H5(H5Pcreate(H5P_DATASET_XFER));
  H5(H5Pset_dxpl_mpio(transfer, TRANSFER));
  for (hsize_t i = 0; i < count; ++i) data[i] = write ? value(number, i) : 0;
  if (write)
    H5(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, transfer, data));
  else
    H5(H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, transfer, data));
  check_collective(transfer);
  int good = 1;
  for (hsize_t i = 0; i < count; ++i) good = good && data[i] == value(number, i);
  check(good, "values");
  H5(H5Pclose(transfer));
  H5(H5Sclose(memory));
  H5(H5Sclose(space));
  H5(H5Dclose(dataset));
}

static hid_t dataset_of(hid_t file, const char* name, hid_t space, hid_t properties, int write) {
  if (!write) return H5(H5Dopen2(file, name, H5P_DEFAULT));
  return H5(H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT));
}

/* Column c belongs to rank c % ranks: ROWS * WIDTH pieces of one element. */
static void columns(hid_t file, int write) {
  const hsize_t size[2] = {ROWS, (hsize_t)(WIDTH * ranks)}, start[2] = {0, (hsize_t)rank};
  const hsize_t stride[2] = {1, (hsize_t)ranks}, count[2] = {ROWS, WIDTH};
  hid_t space = H5(H5Screate_simple(2, size, NULL));
  hid_t dataset = dataset_of(file, "columns", space, H5P_DEFAULT, write);
  H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, NULL));
  transfer_part(dataset, space, 1, write);
}

/* Chunks that straddle the ranks' blocks. */
static void chunks(hid_t file, int write) {
  const hsize_t size[2] = {ROWS, (hsize_t)(WIDTH * ranks)}, start[2] = {0, (hsize_t)(rank * WIDTH)};
  const hsize_t count[2] = {ROWS, WIDTH}, chunk[2] = {20, 9};
  hid_t space = H5(H5Screate_simple(2, size, NULL));
  hid_t properties = H5(H5Pcreate(H5P_DATASET_CREATE));
  H5(H5Pset_chunk(properties, 2, chunk));
  hid_t dataset = dataset_of(file, "chunks", space, properties, write);
  H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
  transfer_part(dataset, space, 2, write);
  H5(H5Pclose(properties));
}

/* Points in descending order, with gaps that nobody writes. */
static void points(hid_t file, int write) {
  static hsize_t at[POINTS];
  const hsize_t size = (hsize_t)(3 * POINTS * ranks);
  for (int i = 0; i < POINTS; ++i) at[i] = (hsize_t)(((POINTS - 1 - i) * 3 + i % 3) * ranks + rank);
  hid_t space = H5(H5Screate_simple(1, &size, NULL));
  hid_t dataset = dataset_of(file, "points", space, H5P_DEFAULT, write);
  H5(H5Sselect_elements(space, H5S_SELECT_SET, POINTS, at));
  transfer_part(dataset, space, 3, write);
}

static void visit(const char* path, int write) {
  hid_t access = H5(H5Pcreate(H5P_FILE_ACCESS));
  H5(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL));
  hid_t file = write ? H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access))
                     : H5(H5Fopen(path, H5F_ACC_RDONLY, access));
  columns(file, write);
  chunks(file, write);
  points(file, write);
  H5(H5Fclose(file));
  H5(H5Pclose(access));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3) stop("arguments", "usage: hdf5_fields write|read FILE");
  if (strcmp(argv[1], "write") == 0) visit(argv[2], 1);
  visit(argv[2], 0);
  return verdict();
}
