/* The same file twice, through PIO's interface and through PnetCDF alone: pio_same PIO_FILE PNETCDF_FILE
   Variables of several types with and without records, an array with holes, double to float, a value that is
   not distributed, and a variable that is defined when there are records already: data move in the file. */
#include <pio.h>

enum { rows = 8, columns = 5, cells = rows * columns, records = 3, variables = 4 };

static const char* const names[variables] = {"short_fixed", "float_records", "byte_records", "double_late"};
static const nc_type types[variables] = {NC_SHORT, NC_FLOAT, NC_BYTE, NC_DOUBLE};
static int rank, size;

static void pio(int code) {
  if (code == PIO_NOERR) return;
  fprintf(stderr, "%s\n", collio_pio_error_text());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void nc(int code) {
  if (code == NC_NOERR) return;
  fprintf(stderr, "%s\n", ncmpi_strerror(code));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static double value_of(int variable, int record, int cell) {
  return (20 * variable + 9 * record + cell) % 120 - 60;
}

/* Rows of a rank. The last cell of the array is in no rank's map. */
static int first_row(int r) { return rows * r / size; }
static int is_hole(int cell) { return cell == cells - 1; }

static void write_pio(const char* path) {
  const int shape[] = {rows, columns}, first = first_row(rank) * columns,
            count = first_row(rank + 1) * columns - first;
  int system, layout, file, type = PIO_IOTYPE_NETCDF, dims[3], ids[variables], steps[records];
  PIO_Offset map[cells];
  double data[cells];
  for (int i = 0; i < count; ++i) { /* from the last cell to the first */
    const int cell = first + count - 1 - i;
    map[i] = is_hole(cell) ? -1 : cell;
  }
  pio(PIOc_Init_Intracomm(MPI_COMM_WORLD, 1, 1, size - 1, PIO_REARR_SUBSET, &system));
  pio(PIOc_init_decomp(system, PIO_DOUBLE, 2, shape, count, map, &layout, PIO_REARR_SUBSET, NULL, NULL));
  pio(PIOc_createfile(system, &file, &type, path, PIO_CLOBBER));
  pio(PIOc_def_dim(file, "t", PIO_UNLIMITED, &dims[0]));
  pio(PIOc_def_dim(file, "y", rows, &dims[1]));
  pio(PIOc_def_dim(file, "x", columns, &dims[2]));
  pio(PIOc_put_att_text(file, PIO_GLOBAL, "title", 9, "same file"));
  for (int v = 0; v < 3; ++v)
    pio(PIOc_def_var(file, names[v], types[v], v ? 3 : 2, v ? dims : dims + 1, &ids[v]));
  pio(PIOc_def_var(file, "step", NC_INT, 1, dims, &steps[0]));
  pio(PIOc_enddef(file));
  for (int v = 0; v < variables; ++v) {
    if (v == 3) { /* the file has records, and some data wait in memory */
      pio(PIOc_redef(file));
      pio(PIOc_def_var(file, names[v], types[v], 3, dims, &ids[v]));
      pio(PIOc_put_att_int(file, ids[v], "levels", NC_INT, 1, &shape[0]));
      pio(PIOc_enddef(file));
    }
    for (int r = 0; r < (v ? records : 1); ++r) {
      const PIO_Offset at = r;
      for (int i = 0; i < count; ++i) data[i] = value_of(v, r, (int)map[i]);
      if (v) pio(PIOc_setframe(file, ids[v], r));
      pio(PIOc_write_darray(file, ids[v], layout, count, data, NULL));
      if (v == 1) pio(PIOc_put_var1_int(file, steps[0], &at, &r));
    }
  }
  pio(PIOc_closefile(file));
  pio(PIOc_finalize(system));
}

static void write_pnetcdf(const char* path) {
  const double fill[variables] = {NC_FILL_SHORT, NC_FILL_FLOAT, NC_FILL_BYTE, NC_FILL_DOUBLE};
  const int shape[] = {rows};
  int file, dims[3], ids[variables], steps;
  double data[cells];
  nc(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER, MPI_INFO_NULL, &file));
  nc(ncmpi_def_dim(file, "t", NC_UNLIMITED, &dims[0]));
  nc(ncmpi_def_dim(file, "y", rows, &dims[1]));
  nc(ncmpi_def_dim(file, "x", columns, &dims[2]));
  nc(ncmpi_put_att_text(file, NC_GLOBAL, "title", 9, "same file"));
  for (int v = 0; v < 3; ++v)
    nc(ncmpi_def_var(file, names[v], types[v], v ? 3 : 2, v ? dims : dims + 1, &ids[v]));
  nc(ncmpi_def_var(file, "step", NC_INT, 1, dims, &steps));
  nc(ncmpi_enddef(file));
  for (int v = 0; v < variables; ++v) {
    if (v == 3) {
      nc(ncmpi_redef(file));
      nc(ncmpi_def_var(file, names[v], types[v], 3, dims, &ids[v]));
      nc(ncmpi_put_att_int(file, ids[v], "levels", NC_INT, 1, &shape[0]));
      nc(ncmpi_enddef(file));
    }
    for (int r = 0; r < (v ? records : 1); ++r) {
      const MPI_Offset at = r, start[] = {r, first_row(rank), 0},
                       count[] = {1, first_row(rank + 1) - start[1], columns};
      for (int i = 0; i < count[1] * columns; ++i) {
        const int cell = (int)start[1] * columns + i;
        data[i] = is_hole(cell) ? fill[v] : value_of(v, r, cell);
      }
      nc(ncmpi_put_vara_double_all(file, ids[v], start + !v, count + !v, data));
      if (v == 1) nc(ncmpi_put_var1_int_all(file, steps, &at, &r));
    }
  }
  nc(ncmpi_close(file));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  write_pio(argv[1]);
  write_pnetcdf(argv[2]);
  MPI_Finalize();
  return 0;
}
