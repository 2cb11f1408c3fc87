/* Parallel netCDF: two time steps of a field with an unlimited dimension, and a plane dealt out by columns,
   by collective access. FORMAT: a classic one is PnetCDF's. */
#include <netcdf.h>
#include <netcdf_par.h>
#include <stdlib.h>

#include "check.h"

#ifndef FORMAT
#define FORMAT NC_NETCDF4
#endif
enum { STEPS = 2, LEVELS = 5, ROWS = 64, WIDTH = 10 };
static int rank, ranks;

#define NC(call) nc(call, #call)
static void nc(int result, const char* call) {
  if (result != NC_NOERR) stop(call, nc_strerror(result));
}

static double value(int variable, int step, int i) { return 1e7 * variable + 1e6 * step + 1e4 * rank + i; }

static void define(int file) {
  int dimensions[4], columns, variable;
  NC(nc_def_dim(file, "time", NC_UNLIMITED, &dimensions[0]));
  NC(nc_def_dim(file, "level", LEVELS, &dimensions[1]));
  NC(nc_def_dim(file, "row", ROWS, &dimensions[2]));
  NC(nc_def_dim(file, "column", (size_t)(WIDTH * ranks), &dimensions[3]));
  NC(nc_def_var(file, "field", NC_DOUBLE, 4, dimensions, &variable));
  NC(nc_def_var(file, "plane", NC_DOUBLE, 2, dimensions + 2, &columns));
  NC(nc_enddef(file));
}

/* Blocks of columns, one step of the field at a time. */
static void field(int file, int write) {
  enum { MINE = LEVELS * ROWS * WIDTH };
  static double data[MINE];
  const size_t count[4] = {1, LEVELS, ROWS, WIDTH};
  int variable, good = 1;
  NC(nc_inq_varid(file, "field", &variable));
  NC(nc_var_par_access(file, variable, NC_COLLECTIVE));
  for (int step = 0; step < STEPS; ++step) {
    const size_t start[4] = {(size_t)step, 0, 0, (size_t)(rank * WIDTH)};
    for (int i = 0; i < MINE; ++i) data[i] = write ? value(1, step, i) : 0;
    if (write)
      NC(nc_put_vara_double(file, variable, start, count, data));
    else
      NC(nc_get_vara_double(file, variable, start, count, data));
    for (int i = 0; i < MINE; ++i) good = good && data[i] == value(1, step, i);
  }
  check(good, "field");
}

/* Column c belongs to rank c % ranks. */
static void plane(int file, int write) {
  static double data[ROWS * WIDTH];
  const size_t start[2] = {0, (size_t)rank}, count[2] = {ROWS, WIDTH};
  const ptrdiff_t stride[2] = {1, ranks};
  int variable, good = 1;
  NC(nc_inq_varid(file, "plane", &variable));
  NC(nc_var_par_access(file, variable, NC_COLLECTIVE));
  for (int i = 0; i < ROWS * WIDTH; ++i) data[i] = write ? value(2, 0, i) : 0;
  if (write)
    NC(nc_put_vars_double(file, variable, start, count, stride, data));
  else
    NC(nc_get_vars_double(file, variable, start, count, stride, data));
  for (int i = 0; i < ROWS * WIDTH; ++i) good = good && data[i] == value(2, 0, i);
  check(good, "plane");
}

static void visit(const char* path, int write) {
  int file;
  if (write) {
    NC(nc_create_par(path, FORMAT | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
    define(file);
  } else {
    NC(nc_open_par(path, NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  }
  field(file, write);
  plane(file, write);
  NC(nc_close(file));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3) stop("arguments", "usage: netcdf_fields write|read FILE");
  if (strcmp(argv[1], "write") == 0) visit(argv[2], 1);
  visit(argv[2], 0);
  return verdict();
}
