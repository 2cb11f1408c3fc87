/* PnetCDF in independent mode: ranks write beside each other, some by calls that PnetCDF keeps; lists of
   parts that overlap.

       pnetcdf_alone FILE */
#include <pnetcdf.h>

#include "check.h"

enum { NUMBERS = 2000, ROUNDS = 60 };

static int rank, ranks, file, var;

static void write_beside(int round) {
  static int numbers[NUMBERS];
  MPI_Offset start = rank, count = NUMBERS, stride = ranks;
  MPI_Offset *starts[] = {&start}, *counts[] = {&count}, *strides[] = {&stride};
  int* buffers[] = {numbers};
  for (int i = 0; i < NUMBERS; ++i) numbers[i] = round * NUMBERS + i;
  check(rank % 2 == 0 ? ncmpi_mput_vars_int(file, 1, &var, starts, counts, strides, buffers) == NC_NOERR
                      : ncmpi_put_vars_int(file, var, &start, &count, &stride, numbers) == NC_NOERR,
        "a put");
  for (int i = 0; i < NUMBERS; ++i) numbers[i] = -1;
  MPI_Barrier(MPI_COMM_WORLD);
  check(ncmpi_get_vars_int(file, var, &start, &count, &stride, numbers) == NC_NOERR, "a get");
  int wrong = 0;
  for (int i = 0; i < NUMBERS; ++i) wrong += numbers[i] != round * NUMBERS + i;
  check(wrong == 0, "the numbers that others wrote around");
  MPI_Barrier(MPI_COMM_WORLD);
}

static void write_twice(void) {
  MPI_Offset first = 10 * (MPI_Offset)rank, second = first + 2, count = 5;
  MPI_Offset *starts[] = {&first, &second}, *counts[] = {&count, &count};
  const int numbers[] = {1, 2, 3, 4, 5, 3, 4, 5, 6, 7}; /* the same where the parts overlap */
  int got[7] = {0};
  check(ncmpi_put_varn_int(file, var, 2, starts, counts, numbers) == NC_NOERR, "parts that overlap");
  count = 7;
  check(ncmpi_get_vara_int(file, var, &first, &count, got) == NC_NOERR, "a get of both parts");
  for (int i = 0; i < 7; ++i) check(got[i] == i + 1, "a number of both parts");
}

int main(int argc, char** argv) {
  int dim;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 2) stop("arguments", "usage: pnetcdf_alone FILE");
  check(ncmpi_create(MPI_COMM_WORLD, argv[1], NC_CLOBBER, MPI_INFO_NULL, &file) == NC_NOERR, "create");
  ncmpi_def_dim(file, "x", NUMBERS * (MPI_Offset)ranks, &dim);
  ncmpi_def_var(file, "v", NC_INT, 1, &dim, &var);
  ncmpi_enddef(file);
  ncmpi_begin_indep_data(file);
  for (int round = 0; round < ROUNDS; ++round) write_beside(round);
  write_twice();
  ncmpi_end_indep_data(file);
  check(ncmpi_close(file) == NC_NOERR, "close");
  return verdict();
}
