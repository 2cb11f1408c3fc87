/* Ranks create and open a file in modes of their own: PnetCDF says so, and goes by that of rank 0. argv: the
   file. */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>

#include "check.h"

static int rank;

static void expect(const char* call, int code, int wanted) {
  char what[100];
  snprintf(what, sizeof what, "%s returned %s", call, ncmpi_strerrno(code));
  check(code == wanted, what);
}

static void put(int ncid, int varid, int value) {
  const MPI_Offset start = 2 * rank, count = 2;
  const int data[] = {value + rank, value - rank};
  int read[2] = {0, 0};
  expect("put", ncmpi_put_vara_int_all(ncid, varid, &start, &count, data), NC_NOERR);
  expect("get", ncmpi_get_vara_int_all(ncid, varid, &start, &count, read), NC_NOERR);
  check(read[0] == data[0] && read[1] == data[1], "what was put is read");
}

int main(int argc, char** argv) {
  int ranks, ncid, dimid, varid;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 2) return 2;
  expect("create",
         ncmpi_create(MPI_COMM_WORLD, argv[1], NC_CLOBBER | (rank ? NC_64BIT_DATA : NC_64BIT_OFFSET),
                      MPI_INFO_NULL, &ncid),
         rank ? NC_EMULTIDEFINE_CMODE : NC_NOERR);
  expect("def_dim", ncmpi_def_dim(ncid, "x", 2 * ranks, &dimid), NC_NOERR);
  expect("def_var", ncmpi_def_var(ncid, "v", NC_INT, 1, &dimid, &varid), NC_NOERR);
  expect("enddef", ncmpi_enddef(ncid), NC_NOERR);
  put(ncid, varid, 100);
  expect("close", ncmpi_close(ncid), NC_NOERR);
  expect("open", ncmpi_open(MPI_COMM_WORLD, argv[1], rank ? NC_NOWRITE : NC_WRITE, MPI_INFO_NULL, &ncid),
         rank ? NC_EMULTIDEFINE_OMODE : NC_NOERR);
  put(ncid, varid, 200);
  expect("close", ncmpi_close(ncid), NC_NOERR);
  // The file is there: rank 0 creates nothing, and what another one returns does not say so.
  expect("create",
         ncmpi_create(MPI_COMM_WORLD, argv[1], rank ? NC_CLOBBER : NC_NOCLOBBER, MPI_INFO_NULL, &ncid),
         rank ? NC_EMULTIDEFINE_CMODE : NC_EEXIST);
  return verdict();
}
