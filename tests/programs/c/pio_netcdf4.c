/* Reads a netCDF-4 file that another library wrote: pio_netcdf4 FILE CLASSIC
   CLASSIC: a file that PnetCDF opens, too. With "missing" as a third argument only opens FILE, and prints the
   error. Ends with the number of things that are wrong. The test has what is in the file. */
#include <pio.h>
#include <stdlib.h>

enum { rows = 1500, columns = 2000, cells = 10, records = 3 };

static int rank, size, wrong, system_id;

static void is(const char* what, double found, double expected) {
  if (found == expected) return;
  ++wrong;
  fprintf(stderr, "rank %d: %s: %g, expected %g; %s\n", rank, what, found, expected, collio_pio_error_text());
}

static int open_as(const char* path, int type, int* file) {
  return PIOc_openfile(system_id, file, &type, path, PIO_NOWRITE);
}

static int id_of(int file, const char* name) {
  int found = -1;
  is(name, PIOc_inq_varid(file, name, &found), 0);
  return found;
}

static void header(int file) {
  int dims, variables, attributes, unlimited, format, ids[4] = {-1, -1, -1, -1}, numbers[2] = {0, 0}, type;
  PIO_Offset length = 0;
  double scale = 0;
  char text[16] = "";
  is("inq", PIOc_inq(file, &dims, &variables, &attributes, &unlimited), 0);
  is("variables", variables, 5);
  is("attributes", attributes, 3);
  is("records", PIOc_inq_dimlen(file, unlimited, &length), 0);
  is("records", (double)length, records);
  is("format", PIOc_inq_format(file, &format), 0);
  is("format", format, 3);
  is("type", PIOc_inq_vartype(file, id_of(file, "large"), &type), 0);
  is("type", type, PIO_DOUBLE);
  is("dimensions", PIOc_inq_vardimid(file, id_of(file, "steps"), ids), 0);
  is("first dimension", ids[0], unlimited);
  is("text", PIOc_get_att_text(file, NC_GLOBAL, "title", text), 0);
  is("text", strncmp(text, "of a model", 10), 0);
  is("scale", PIOc_get_att_double(file, id_of(file, "large"), "scale", &scale), 0);
  is("scale", scale, 0.5);
  is("numbers", PIOc_get_att_int(file, NC_GLOBAL, "numbers", numbers), 0);
  is("numbers", numbers[1], 7);
  is("text of netCDF-4 alone", PIOc_get_att(file, NC_GLOBAL, "words", text) != 0, 1);
  is("no such variable", PIOc_inq_varid(file, "none", &type), NC_ENOTVAR);
}

/* The array is larger than what the root reads at a time; two elements are in two maps. */
static void large_array(int file) {
  const int shape[] = {rows, columns}, total = rows * columns, share = total / size;
  int layout;
  PIO_Offset* map = malloc((size_t)(share + 2) * sizeof *map);
  float* found = malloc((size_t)(share + 2) * sizeof *found);
  for (int i = 0; i < share; ++i) map[i] = (PIO_Offset)(share - 1 - i) * size + rank + 1;
  map[share] = 0, map[share + 1] = total;
  found[share] = -5;
  is("map",
     PIOc_InitDecomp_ReadOnly(system_id, PIO_FLOAT, 2, shape, share + 2, map, &layout, NULL, NULL, NULL), 0);
  is("large", PIOc_read_darray(file, id_of(file, "large"), layout, share + 2, found), 0);
  for (int i = 0; i < share + 2; ++i)
    if (wrong < 10) is("number", found[i], i == share ? -5 : (double)((map[i] - 1) % 251));
  is("free", PIOc_freedecomp(system_id, layout), 0);
  free(map), free(found);
}

static void steps(int file) {
  const int shape = cells, steps = id_of(file, "steps"), count = rank < cells;
  const PIO_Offset map = rank + 1;
  int layout, of_text;
  double found = -1;
  is("map", PIOc_InitDecomp(system_id, PIO_DOUBLE, 1, &shape, count, &map, &layout, NULL, NULL, NULL), 0);
  is("text map", PIOc_InitDecomp(system_id, PIO_CHAR, 1, &shape, count, &map, &of_text, NULL, NULL, NULL), 0);
  is("no frame", PIOc_read_darray(file, steps, layout, count, &found), 0);
  is("record 0", found, rank);
  is("frame", PIOc_setframe(file, steps, 2), 0);
  is("record 2", PIOc_read_darray(file, steps, layout, count, &found), 0);
  is("record 2", found, 200 + rank);
  is("frame", PIOc_setframe(file, steps, records), 0);
  is("no such record", PIOc_read_darray(file, steps, layout, count, &found), NC_EINVALCOORDS);
  is("text", PIOc_read_darray(file, steps, of_text, count, &found), NC_ECHAR);
  is("strings", PIOc_read_darray(file, id_of(file, "names"), layout, count, &found), NC_EBADTYPE);
  is("write", PIOc_write_darray(file, steps, layout, count, &found, NULL), NC_EPERM);
}

static void other_data(int file) {
  const int steps = id_of(file, "steps");
  const PIO_Offset start[] = {1, 4}, count[] = {2, 3}, stride[] = {1, 2};
  int numbers[6], one = -1;
  long wide[6];
  signed char narrow[6];
  double scalar = 0;
  is("vara", PIOc_get_vara_int(file, steps, start, count, numbers), 0);
  is("vara", numbers[5], 206);
  is("vars", PIOc_get_vars_long(file, steps, start, count, stride, wide), 0);
  is("vars", (double)wide[5], 208);
  is("var1", PIOc_get_var1_int(file, steps, start, &one), 0);
  is("var1", one, 104);
  is("scalar", PIOc_get_var_double(file, id_of(file, "scalar"), &scalar), 0);
  is("scalar", scalar, 2.5);
  is("range", PIOc_get_vara_schar(file, steps, start, count, narrow), NC_ERANGE);
  is("range", narrow[0], 104);
  const PIO_Offset beyond[] = {records, 0};
  is("beyond the end", PIOc_get_var1_int(file, steps, beyond, &one) != 0, 1);
}

static void writes(int file, const char* path) {
  const int one = 1;
  int again, dim, type = PIO_IOTYPE_PNETCDF;
  is("put", PIOc_put_var_int(file, id_of(file, "scalar"), &one), NC_EPERM);
  is("redef", PIOc_redef(file), NC_EPERM);
  is("dimension", PIOc_def_dim(file, "z", 3, &dim), NC_EPERM);
  is("attribute", PIOc_put_att_int(file, NC_GLOBAL, "more", PIO_INT, 1, &one), NC_EPERM);
  is("deflate", PIOc_inq_var_deflate(file, 0, NULL, NULL, NULL), PIO_ENOTNC4);
  is("open to write", PIOc_openfile(system_id, &again, &type, path, PIO_WRITE), NC_ENOTNC);
  is("without a second try", PIOc_openfile2(system_id, &again, &type, path, PIO_NOWRITE), NC_ENOTNC);
  type = PIO_IOTYPE_NETCDF;
  is("by netCDF", PIOc_openfile2(system_id, &again, &type, path, PIO_NOWRITE), 0);
  is("close", PIOc_closefile(again), 0);
}

int main(int argc, char** argv) {
  int file, code;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  PIOc_set_iosystem_error_handling(PIO_DEFAULT, PIO_RETURN_ERROR, NULL);
  is("system", PIOc_Init_Intracomm(MPI_COMM_WORLD, 1, 1, size - 1, PIO_REARR_BOX, &system_id), 0);
  if (argc > 3) {
    code = open_as(argv[1], PIO_IOTYPE_PNETCDF, &file);
    if (rank == 0) printf("%d %s\n", code, collio_pio_error_text());
  } else {
    is("open", open_as(argv[1], PIO_IOTYPE_PNETCDF, &file), 0);
    header(file);
    large_array(file);
    steps(file);
    other_data(file);
    writes(file, argv[1]);
    is("sync", PIOc_sync(file), 0);
    is("close", PIOc_closefile(file), 0);
    is("classic file", open_as(argv[2], PIO_IOTYPE_NETCDF4P, &file), 0);
    is("close", PIOc_closefile(file), 0);
    is("netCDF-4 file", open_as(argv[1], PIO_IOTYPE_NETCDF4C, &file), 0); /* closed by PIOc_finalize() */
  }
  is("finalize", PIOc_finalize(system_id), 0);
  MPI_Finalize();
  return wrong;
}
