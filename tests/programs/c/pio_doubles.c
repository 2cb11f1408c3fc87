/* Maps with elements twice, as SCORPIO takes them: pio_doubles FILE
   The array of the highest rank that has an element is written, and its last place in that rank's map. Ends
   with the number of things that are wrong. */
#include <pio.h>
#include <stdlib.h>

enum { cells = 20000, mine = 9000, none = -1 };

static int rank, size, wrong;

static void is(const char* what, long long found, long long expected) {
  if (found == expected) return;
  if (++wrong < 10)
    fprintf(stderr, "rank %d: %s: %lld, expected %lld; %s\n", rank, what, found, expected,
            collio_pio_error_text());
}

/* The map of any rank, from 0 on: runs, single elements and holes, many of them in others' maps, too. */
static void map_of(int of_rank, PIO_Offset* map) {
  unsigned state = 12345u + 977u * (unsigned)of_rank;
  for (int i = 0; i < mine; ++i) {
    state = state * 1664525u + 1013904223u;
    map[i] = state % 5 == 0 && i > 0 && map[i - 1] >= 0 && map[i - 1] + 1 < cells ? map[i - 1] + 1
             : state % 11 == 0                                                    ? none
                               : (PIO_Offset)(state >> 8) % cells;
  }
}

static int value_of(int of_rank, int place) { return 10000 * (of_rank + 1) + place; }

int main(int argc, char** argv) {
  static PIO_Offset map[mine];
  static int data[mine], expected[cells], found[cells];
  const int shape = cells, fill = -7;
  int system_id, file, type = PIO_IOTYPE_PNETCDF, dim, variable, layout;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  PIOc_set_iosystem_error_handling(PIO_DEFAULT, PIO_RETURN_ERROR, NULL);
  for (int i = 0; i < cells; ++i) expected[i] = fill;
  for (int r = 0; r < size; ++r) {
    map_of(r, map);
    for (int i = 0; i < mine; ++i)
      if (map[i] >= 0) expected[map[i]] = value_of(r, i);
  }
  map_of(rank, map);
  for (int i = 0; i < mine; ++i) data[i] = value_of(rank, i);
  is("system", PIOc_Init_Intracomm(MPI_COMM_WORLD, 1, 1, 0, PIO_REARR_BOX, &system_id), 0);
  is("map", PIOc_init_decomp(system_id, PIO_INT, 1, &shape, mine, map, &layout, PIO_REARR_BOX, NULL, NULL),
     0);
  is("create", PIOc_createfile(system_id, &file, &type, argc > 1 ? argv[1] : "doubles.nc", PIO_CLOBBER), 0);
  is("cell", PIOc_def_dim(file, "cell", cells, &dim), 0);
  is("variable", PIOc_def_var(file, "v", PIO_INT, 1, &dim, &variable), 0);
  is("enddef", PIOc_enddef(file), 0);
  is("write", PIOc_write_darray(file, variable, layout, mine, data, &fill), 0);
  is("all", PIOc_get_var_int(file, variable, found), 0);
  for (int i = 0; i < cells; ++i) is("cell", found[i], expected[i]);
  is("read", PIOc_read_darray(file, variable, layout, mine, data), 0);
  for (int i = 0; i < mine; ++i)
    if (map[i] >= 0) is("element", data[i], expected[map[i]]);
  is("close", PIOc_closefile(file), 0);
  PIOc_finalize(system_id);
  MPI_Finalize();
  return wrong;
}
