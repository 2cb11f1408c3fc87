/* Numbers that do not fit the file's type: pio_range FOLDER
   They become fill values, and are an error of the call that writes them, on all ranks. Nothing else is lost:
   neither other numbers, nor the array or the definition of the call that hears of it. Ends with the number
   of things that are wrong. */
#include <pio.h>

enum { cells = 24, out_of_range = 1000000 };

static int rank, size, wrong, system_id, layout, first, length;
static double data[cells];
static int type = PIO_IOTYPE_PNETCDF;

static void is(const char* what, long long found, long long expected) {
  if (found == expected) return;
  ++wrong;
  fprintf(stderr, "rank %d: %s: %lld, expected %lld\n", rank, what, found, expected);
}

/* Cell i has base + i; the first of `bad_rank` does not fit a short. */
static const double* numbers(int base, int bad_rank) {
  for (int i = 0; i < length; ++i) data[i] = base + first + i;
  if (rank == bad_rank) data[0] = out_of_range;
  return data;
}

static int create(const char* path, int* records, int* other, int* fixed) {
  int file, dims[2];
  is("create", PIOc_createfile(system_id, &file, &type, path, PIO_CLOBBER), 0);
  is("time", PIOc_def_dim(file, "time", PIO_UNLIMITED, &dims[0]), 0);
  is("cell", PIOc_def_dim(file, "cell", cells, &dims[1]), 0);
  is("records", PIOc_def_var(file, "records", PIO_SHORT, 2, dims, records), 0);
  is("other", PIOc_def_var(file, "other", PIO_SHORT, 2, dims, other), 0);
  is("fixed", PIOc_def_var(file, "fixed", PIO_INT, 1, &dims[1], fixed), 0);
  is("enddef", PIOc_enddef(file), 0);
  return file;
}

/* What is read of a variable, but for the cell of `bad_rank`. */
static void has(const char* what, int file, int variable, int base, int bad_rank) {
  double read[cells];
  is(what, PIOc_read_darray(file, variable, layout, length, read), 0);
  for (int i = rank == bad_rank; i < length; ++i) is(what, (long long)read[i], base + first + i);
  if (rank == bad_rank) is(what, read[0] < out_of_range, 1);
}

static void nothing_else_is_lost(const char* path) {
  int records, other, fixed, added, dim = 1;
  const double too_large_fill = 1e36;
  int file = create(path, &records, &other, &fixed);
  PIOc_set_buffer_size_limit(1); /* each array writes the one before */
  for (int v = 0; v < 2; ++v) PIOc_setframe(file, v ? other : records, 0);
  is("put", PIOc_write_darray(file, records, layout, length, numbers(100, 1), NULL), 0);
  is("array behind it", PIOc_write_darray(file, other, layout, length, numbers(200, -1), NULL), PIO_ERANGE);
  is("fill value that is not used",
     PIOc_write_darray(file, fixed, layout, length, numbers(300, -1), &too_large_fill), 0);
  PIOc_setframe(file, records, 1);
  is("put", PIOc_write_darray(file, records, layout, length, numbers(400, size - 1), NULL), 0);
  is("redef", PIOc_redef(file), PIO_ERANGE);
  is("definition", PIOc_def_var(file, "added", PIO_INT, 1, &dim, &added), 0);
  is("enddef", PIOc_enddef(file), 0);
  PIOc_setframe(file, records, 2);
  is("put", PIOc_write_darray(file, records, layout, length, numbers(500, 1), NULL), 0);
  is("sync", PIOc_sync(file), PIO_ERANGE);
  is("close", PIOc_closefile(file), 0);
  is("open", PIOc_openfile(system_id, &file, &type, path, PIO_NOWRITE), 0);
  PIOc_setframe(file, other, 0);
  has("other", file, other, 200, -1);
  has("fixed", file, fixed, 300, -1);
  for (int frame = 0; frame < 3; ++frame) {
    PIOc_setframe(file, records, frame);
    has("records", file, records, (int[]){100, 400, 500}[frame], frame == 1 ? size - 1 : 1);
  }
  is("close", PIOc_closefile(file), 0);
}

static void records_are_counted(const char* path, int bad_rank) {
  int records, other, fixed;
  PIO_Offset count = -1;
  int file = create(path, &records, &other, &fixed);
  PIOc_set_buffer_size_limit(10 << 20);
  PIOc_setframe(file, records, 0);
  is("put", PIOc_write_darray(file, records, layout, length, numbers(100, bad_rank), NULL), 0);
  is("close", PIOc_closefile(file), PIO_ERANGE);
  is("open", PIOc_openfile(system_id, &file, &type, path, PIO_NOWRITE), 0);
  is("inquire", PIOc_inq_dimlen(file, 0, &count), 0);
  is("records in the header", count, 1);
  is("close", PIOc_closefile(file), 0);
}

/* Numbers at the ends of integer types: what PnetCDF makes of them in PIOc_put_var_double(). */
static void ends_are_those_of_pnetcdf(const char* path) {
  const int types[] = {PIO_BYTE, PIO_UBYTE, PIO_SHORT, PIO_INT, PIO_UINT, PIO_INT64, PIO_UINT64};
  const double values[] = {127,        127.5,        127.99, 128,     -128.5,       -128.99,
                           -0.5,       255,          255.5,  32767.5, 2147483647.5, 2147483648.0,
                           4294967295, 4294967295.5, 1e300,  -9.3e18};
  for (unsigned t = 0; t < sizeof types / sizeof *types; ++t)
    for (unsigned v = 0; v < sizeof values / sizeof *values; ++v) {
      int file, dim, array, same;
      char what[80];
      double found[2][cells], all[cells];
      snprintf(what, sizeof what, "type %d, value %.17g", types[t], values[v]);
      is(what, PIOc_createfile(system_id, &file, &type, path, PIO_CLOBBER | PIO_64BIT_DATA), 0);
      is(what, PIOc_def_dim(file, "cell", cells, &dim), 0);
      is(what, PIOc_def_var(file, "array", types[t], 1, &dim, &array), 0);
      is(what, PIOc_def_var(file, "same", types[t], 1, &dim, &same), 0);
      is(what, PIOc_enddef(file), 0);
      for (int i = 0; i < cells; ++i) all[i] = i == 0 ? values[v] : 1;
      const int code = PIOc_put_var_double(file, same, all);
      is(what, PIOc_write_darray(file, array, layout, length, all + first, NULL), 0);
      is(what, PIOc_sync(file), code);
      is(what, PIOc_get_var_double(file, array, found[0]), 0);
      is(what, PIOc_get_var_double(file, same, found[1]), 0);
      for (int i = 0; i < cells; ++i) is(what, found[0][i] == found[1][i], 1);
      is(what, PIOc_closefile(file), 0);
    }
}

int main(int argc, char** argv) {
  char path[1024];
  PIO_Offset map[cells];
  const int shape = cells;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  snprintf(path, sizeof path, "%s/range.nc", argc > 1 ? argv[1] : ".");
  length = cells / size, first = rank * length;
  for (int i = 0; i < length; ++i) map[i] = first + i + 1;
  PIOc_set_iosystem_error_handling(PIO_DEFAULT, PIO_RETURN_ERROR, NULL);
  is("system", PIOc_Init_Intracomm(MPI_COMM_WORLD, 1, 1, 0, PIO_REARR_BOX, &system_id), 0);
  is("map", PIOc_InitDecomp(system_id, PIO_DOUBLE, 1, &shape, length, map, &layout, NULL, NULL, NULL), 0);
  nothing_else_is_lost(path);
  records_are_counted(path, 0);
  records_are_counted(path, size - 1);
  ends_are_those_of_pnetcdf(path);
  PIOc_finalize(system_id);
  MPI_Finalize();
  return wrong;
}
