/* Wrong calls of PIO's interface: pio_errors FOLDER
   Prints "NAME CODE: TEXT" of each, and ends with a code other than 0 where ranks have different codes.
   With a second argument: "full": a disk that is too small for the file, in FOLDER; "memory": a rank that has
   too little memory for its share of an array's holes, and for what others have of it. */
#include <pio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { rows = 4, columns = 6, cells = rows * columns };

static int rank, different, system_id;

/* All ranks call it. */
static void tell(const char* name, int code) {
  int most[2] = {code, -code};
  MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  different += most[0] != -most[1];
  if (rank == 0) printf("%s %d: %s\n", name, code, code ? collio_pio_error_text() : "");
}

static int layout_of(int type, const PIO_Offset* map, int count, int* layout) {
  const int shape[] = {rows, columns};
  return PIOc_InitDecomp(system_id, type, 2, shape, count, map, layout, NULL, NULL, NULL);
}

/* No error: the others do not call it. */
static void map_of_two_ranks(const char* path, int layout) {
  char of_two[1100];
  MPI_Comm two;
  snprintf(of_two, sizeof of_two, "%s.two", path);
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2, rank, &two);
  tell("map_of_two", rank < 2 ? PIOc_write_decomp(of_two, system_id, layout, two) : 0);
  MPI_Comm_free(&two);
}

static void wrong_calls(const char* path) {
  int file, again, type = PIO_IOTYPE_PNETCDF, netcdf4 = PIO_IOTYPE_NETCDF4P, dims[2], variable, other, layout,
                   text, double_cell, all_holes, bad;
  PIO_Offset map[cells];
  int data[cells];
  float large[cells];
  for (int i = 0; i < cells; ++i) map[i] = rank == 0 ? i + 1 : 0, data[i] = 70000, large[i] = 1;
  tell("missing", PIOc_openfile(system_id, &file, &type, "/nowhere/missing.nc", PIO_NOWRITE));
  tell("netcdf4", PIOc_createfile(system_id, &file, &netcdf4, path, PIO_CLOBBER));
  if (rank == 1) map[2] = cells + 1;
  tell("map", layout_of(PIO_INT, map, cells, &bad));
  if (rank == 1) map[2] = cells;
  tell("double_cell", layout_of(PIO_INT, map, cells, &double_cell));
  if (rank == 1) map[2] = 0;
  tell("good_map", layout_of(PIO_INT, map, cells, &layout));
  for (int i = 0; i < cells; ++i) map[i] = 0;
  tell("holes", layout_of(PIO_INT, map, cells, &all_holes));
  tell("text_map", layout_of(PIO_CHAR, map, cells, &text));
  tell("create", PIOc_createfile(system_id, &file, &type, path, PIO_CLOBBER));
  tell("dimension", PIOc_def_dim(file, "y", rows, &dims[0]));
  tell("same_dimension", PIOc_def_dim(file, "y", rows, &dims[1]));
  tell("other_dimension", PIOc_def_dim(file, "x", columns, &dims[1]));
  tell("variable", PIOc_def_var(file, "v", PIO_SHORT, 2, dims, &variable));
  tell("second_variable", PIOc_def_var(file, "w", PIO_SHORT, 2, dims, &other));
  tell("same_variable", PIOc_def_var(file, "v", PIO_SHORT, 2, dims, &variable));
  tell("while_defining", PIOc_write_darray(file, variable, layout, cells, data, NULL));
  tell("enddef", PIOc_enddef(file));
  tell("short_array", PIOc_write_darray(file, variable, layout, rank == 1 ? cells - 1 : cells, data, NULL));
  tell("writes_twice", PIOc_write_darray(file, variable, double_cell, cells, data, NULL));
  tell("text", PIOc_write_darray(file, variable, text, cells, data, NULL));
  const int of_one = rank == 1 ? 9999 : layout;
  tell("layout_of_one", PIOc_write_darray(file, variable, of_one, cells, data, NULL));
  tell("variable_of_one", PIOc_write_darray(file, rank == 1 ? 7 : variable, layout, cells, data, NULL));
  tell("other_variable", PIOc_write_darray(file, rank == 1 ? other : variable, layout, cells, data, NULL));
  tell("other_map", PIOc_write_darray(file, variable, rank == 1 ? all_holes : layout, cells, data, NULL));
  tell("several", PIOc_write_darray_multi(file, &variable, of_one, 1, cells, data, NULL, NULL, false));
  tell("read_of_one", PIOc_read_darray(file, variable, of_one, cells, data));
  tell("map_file", PIOc_write_decomp(path, system_id, of_one, MPI_COMM_WORLD));
  map_of_two_ranks(path, layout);
  tell("netcdf_map", PIOc_write_nc_decomp(system_id, path, PIO_CLOBBER, of_one, "", "", 0));
  const int one = rank == 1, box = PIO_REARR_BOX;
  tell("tasks_of_one", PIOc_Init_Intracomm(MPI_COMM_WORLD, one ? 0 : 1, 1, 0, box, &bad));
  tell("other_base", PIOc_Init_Intracomm(MPI_COMM_WORLD, 1, 1, one, box, &bad));
  const int shape = rows, width = 1;
  const PIO_Offset cell = rank + 1;
  tell("no_id",
       PIOc_InitDecomp(system_id, PIO_INT, 1, &shape, width, &cell, one ? NULL : &bad, NULL, NULL, NULL));
  tell("type_of_one", PIOc_createfile(system_id, &again, one ? &netcdf4 : &type, path, PIO_CLOBBER));
  tell("title_of_one", PIOc_write_nc_decomp(system_id, path, PIO_CLOBBER, layout, one ? NULL : "t", "", 0));
  tell("flush_of_one", PIOc_write_darray_multi(file, &variable, layout, 1, cells, data, NULL, NULL, one));
  const PIO_Offset limit = PIOc_set_buffer_size_limit(one ? 1 : 1 << 20);
  tell("limit_of_one", PIOc_write_darray(file, variable, layout, cells, data, NULL));
  PIOc_set_buffer_size_limit(limit);
  tell("vard_of_one", PIOc_put_vard(file, variable, of_one, 0, data));
  tell("no_variable", PIOc_write_darray(file, 7, layout, cells, data, NULL));
  tell("too_large", PIOc_write_darray(file, variable, layout, cells, data, NULL)); /* on rank 0 alone */
  for (int i = 0; i < cells; ++i) data[i] = 1;
  tell("root_names", PIOc_put_var_int(file, one ? variable : other, data));
  tell("sync", PIOc_sync(file));
  tell("deflate", PIOc_def_var_deflate(file, variable, 0, 1, 1));
  tell("close", PIOc_closefile(file));
  tell("closed", PIOc_closefile(file));
  tell("open", PIOc_openfile(system_id, &again, &type, path, PIO_NOWRITE));
  tell("read_only", PIOc_write_darray(again, variable, layout, cells, large, NULL));
  tell("close_again", PIOc_closefile(again));
}

static void small_disk(const char* path) {
  enum { bytes = 4 << 20 };
  static signed char data[bytes];
  static PIO_Offset map[bytes];
  int file, type = PIO_IOTYPE_PNETCDF, dim, variable, layout, size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int length = bytes * size;
  for (int i = 0; i < bytes; ++i) map[i] = (PIO_Offset)rank * bytes + i + 1;
  tell("map", PIOc_InitDecomp(system_id, PIO_BYTE, 1, &length, bytes, map, &layout, NULL, NULL, NULL));
  tell("create", PIOc_createfile(system_id, &file, &type, path, PIO_CLOBBER));
  tell("dimension", PIOc_def_dim(file, "x", length, &dim));
  tell("variable", PIOc_def_var(file, "v", PIO_BYTE, 1, &dim, &variable));
  tell("enddef", PIOc_enddef(file));
  tell("write", PIOc_write_darray(file, variable, layout, bytes, data, NULL));
  tell("full", PIOc_sync(file));
  tell("close", PIOc_closefile(file));
}

static long long address_space_bytes(void) {
  long long pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%lld", &pages) != 1) MPI_Abort(MPI_COMM_WORLD, 1);
  fclose(file);
  return pages * 4096;
}

/* Rank 1 hears of too many elements: all others have every second one of its share. */
static int many_pieces(void) {
  enum { of_a_rank = 1 << 21 };
  int layout, size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int share = 2 * of_a_rank * (size - 1), length = share * size;
  PIO_Offset* map = malloc(of_a_rank * sizeof *map);
  const int before = rank == 0 ? 0 : rank - 1;
  for (int i = 0; i < of_a_rank; ++i) map[i] = share + 2 * ((PIO_Offset)before * of_a_rank + i) + 1;
  const int code = PIOc_InitDecomp(system_id, PIO_INT, 1, &length, rank == 1 ? 0 : of_a_rank, map, &layout,
                                   NULL, NULL, NULL);
  free(map);
  return code;
}

static void little_memory(void) {
  const int length = 1 << 26;
  const PIO_Offset one = rank + 1;
  int layout;
  struct rlimit limit;
  getrlimit(RLIMIT_AS, &limit);
  const rlim_t before = limit.rlim_cur;
  if (rank == 1) limit.rlim_cur = (rlim_t)(address_space_bytes() + (32 << 20));
  setrlimit(RLIMIT_AS, &limit);
  tell("holes", PIOc_InitDecomp(system_id, PIO_INT, 1, &length, 1, &one, &layout, NULL, NULL, NULL));
  tell("pieces", many_pieces());
  limit.rlim_cur = before;
  setrlimit(RLIMIT_AS, &limit);
  const int few = 16;
  tell("after", PIOc_InitDecomp(system_id, PIO_INT, 1, &few, 1, &one, &layout, NULL, NULL, NULL));
}

int main(int argc, char** argv) {
  char path[1024];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(path, sizeof path, "%s/errors.nc", argc > 1 ? argv[1] : ".");
  PIOc_set_iosystem_error_handling(PIO_DEFAULT, PIO_RETURN_ERROR, NULL);
  if (PIOc_Init_Intracomm(MPI_COMM_WORLD, 1, 1, 0, PIO_REARR_BOX, &system_id)) MPI_Abort(MPI_COMM_WORLD, 1);
  if (argc > 2 && strcmp(argv[2], "memory") == 0)
    little_memory();
  else if (argc > 2)
    small_disk(path);
  else
    wrong_calls(path);
  PIOc_finalize(system_id);
  MPI_Finalize();
  return different;
}
