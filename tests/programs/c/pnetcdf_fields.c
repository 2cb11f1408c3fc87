/* PnetCDF: a field by blocking collective calls, and a plane of irregular pieces by nonblocking calls that
   one wait_all turns into a single collective access with memory scattered over several buffers.
   -DROWS=65536 makes the field large. */
#include <pnetcdf.h>

#include "check.h"

#ifndef ROWS
#define ROWS 64
#endif
enum { WIDTH = 10, PIECES = 300, BUFFERS = 3 };
static int rank, ranks;

#define NC(call) nc(call, #call)
static void nc(int result, const char* call) {
  if (result != NC_NOERR) stop(call, ncmpi_strerror(result));
}

static double value(int variable, int i) { return 1e7 * variable + 1e4 * rank + i; }

static void define(int file) {
  int dimensions[2], long_one, variable;
  NC(ncmpi_def_dim(file, "row", ROWS, &dimensions[0]));
  NC(ncmpi_def_dim(file, "column", (MPI_Offset)WIDTH * ranks, &dimensions[1]));
  NC(ncmpi_def_dim(file, "element", (MPI_Offset)BUFFERS * PIECES * 2 * ranks, &long_one));
  NC(ncmpi_def_var(file, "field", NC_DOUBLE, 2, dimensions, &variable));
  NC(ncmpi_def_var(file, "pieces", NC_DOUBLE, 1, &long_one, &variable));
  NC(ncmpi_put_att_text(file, NC_GLOBAL, "title", 6, "fields"));
  NC(ncmpi_enddef(file));
}

static void field(int file, int write) {
  static double data[ROWS * WIDTH];
  const MPI_Offset start[2] = {0, rank}, count[2] = {ROWS, WIDTH}, stride[2] = {1, ranks};
  int variable, good = 1;
  NC(ncmpi_inq_varid(file, "field", &variable));
  for (int i = 0; i < ROWS * WIDTH; ++i) data[i] = write ? value(1, i) : 0;
  if (write)
    NC(ncmpi_put_vars_double_all(file, variable, start, count, stride, data));
  else
    NC(ncmpi_get_vars_double_all(file, variable, start, count, stride, data));
  for (int i = 0; i < ROWS * WIDTH; ++i) good = good && data[i] == value(1, i);
  check(good, "field");
}

/* Piece i of buffer b: two elements, dealt out over the ranks in turns. All elements of the variable are
 * written. */
static void pieces(int file, int write) {
  static double data[BUFFERS][2 * PIECES];
  static MPI_Offset start[PIECES], count[PIECES];
  static MPI_Offset *starts[PIECES], *counts[PIECES];
  int variable, requests[BUFFERS], states[BUFFERS], good = 1;
  NC(ncmpi_inq_varid(file, "pieces", &variable));
  for (int b = 0; b < BUFFERS; ++b) {
    for (int i = 0; i < PIECES; ++i) {
      start[i] = 2 * ((MPI_Offset)(b * PIECES + i) * ranks + (rank + i) % ranks);
      count[i] = 2;
      starts[i] = &start[i];
      counts[i] = &count[i];
    }
    for (int i = 0; i < 2 * PIECES; ++i) data[b][i] = write ? value(2 + b, i) : 0;
    if (write)
      NC(ncmpi_iput_varn_double(file, variable, PIECES, starts, counts, data[b], &requests[b]));
    else
      NC(ncmpi_iget_varn_double(file, variable, PIECES, starts, counts, data[b], &requests[b]));
  }
  NC(ncmpi_wait_all(file, BUFFERS, requests, states));
  for (int b = 0; b < BUFFERS; ++b) {
    NC(states[b]);
    for (int i = 0; i < 2 * PIECES; ++i) good = good && data[b][i] == value(2 + b, i);
  }
  check(good, "pieces");
}

static void visit(const char* path, int write) {
  int file;
  if (write) {
    NC(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file));
    define(file);
  } else {
    NC(ncmpi_open(MPI_COMM_WORLD, path, NC_NOWRITE, MPI_INFO_NULL, &file));
  }
  field(file, write);
  pieces(file, write);
  NC(ncmpi_close(file));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3) stop("arguments", "usage: pnetcdf_fields write|read FILE");
  if (strcmp(argv[1], "write") == 0) visit(argv[2], 1);
  visit(argv[2], 0);
  return verdict();
}
