/* Decompositions in files of PIO's, of 4 x 6 elements: pio_maps COMMAND FILE...
   write: files of this program's maps. read: prints "RANK: lengths; map" of each file and rank, or "RANK:
   CODE: TEXT". read-few: the first two ranks alone read. write-netcdf, read-netcdf: the same for netCDF
   files; the latter prints title, history and whether Fortran's order, and writes the maps that it got to
   FILE.text. delete: deletes the files. */
#include <pio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RANKS = 16, MAX_TEXT = 4096 };
static int rank, ranks, system_id;
static const int shape[] = {4, 6};

/* The elements of rank r: r + 1, a hole, and from the array's end backwards; the last rank has none. */
static int map_here(PIO_Offset* map) {
  int count = 0;
  if (rank == ranks - 1 && ranks > 1) return 0;
  map[count++] = rank + 1;
  map[count++] = 0;
  for (int i = 0; i < 2 + rank; ++i) map[count++] = 24 - 4 * rank - i;
  return count;
}

/* Rank 0 prints for all: lines that several ranks print reach the terminal in any order. */
static void print_in_turn(const char* text) {
  static char texts[MAX_RANKS][MAX_TEXT];
  MPI_Gather(text, MAX_TEXT, MPI_CHAR, texts, MAX_TEXT, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int r = 0; rank == 0 && r < ranks; ++r) printf("%d: %s\n", r, texts[r]);
}

static int write_file(const char* path, MPI_Comm comm) {
  PIO_Offset map[24];
  const int count = map_here(map);
#ifdef COLLIO_PIO_SCORPIO
  if (strstr(path, "alone")) return PIOc_writemap(path, 512, 2, shape, count, map, comm);
#else
  if (strstr(path, "alone")) return PIOc_writemap(path, 2, shape, count, map, comm);
#endif
  int layout, code = PIOc_InitDecomp(system_id, PIO_INT, 2, shape, count, map, &layout, NULL, NULL, NULL);
  return code ? code : PIOc_write_decomp(path, system_id, layout, comm);
}

static void append(char* text, const char* format, long long number) {
  sprintf(text + strlen(text), format, number);
}

static int write_netcdf(const char* path) {
  PIO_Offset map[24];
  char title[] = "four by six", history[] = "made by a test";
  const int count = map_here(map), empty = strstr(path, "empty") != NULL,
            large = strstr(path, "large") != NULL;
  const int shape_of_large[] = {1 << 16, 1 << 16};
  int layout, code = PIOc_InitDecomp_ReadOnly(system_id, PIO_INT, 2, large ? shape_of_large : shape,
                                              empty ? 0 : count, map, &layout, NULL, NULL, NULL);
  return code ? code : PIOc_write_nc_decomp(system_id, path, PIO_CLOBBER, layout, title, history, 1);
}

static int read_netcdf(const char* path, char* said) {
  char title[PIO_MAX_NAME + 1], history[PIO_MAX_NAME + 1], text[MAX_TEXT];
  int layout, fortran_order, code;
  if ((code = PIOc_read_nc_decomp(system_id, path, &layout, MPI_COMM_WORLD, PIO_INT, title, history,
                                  &fortran_order)))
    return code;
  sprintf(said, "%s; %s; %d", title, history, fortran_order);
  snprintf(text, sizeof text, "%s.text", path);
  return PIOc_write_decomp(text, system_id, layout, MPI_COMM_WORLD);
}

static int read_file(const char* path, MPI_Comm comm, char* text) {
  int dims, *lengths, code;
  PIO_Offset count, *map;
  if ((code = PIOc_readmap(path, &dims, &lengths, &count, &map, comm))) return code;
  for (int d = 0; d < dims; ++d) append(text, "%lld ", lengths[d]);
  append(text, "; %lld:", count);
  for (PIO_Offset i = 0; i < count; ++i) append(text, " %lld", map[i]);
  free(lengths);
  free(map);
  return PIO_NOERR;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 3 || ranks > MAX_RANKS) MPI_Abort(MPI_COMM_WORLD, 2);
  const int few = strcmp(argv[1], "read-few") == 0;
  MPI_Comm some;
  MPI_Comm_split(MPI_COMM_WORLD, few && rank >= 2, rank, &some);
  PIOc_set_iosystem_error_handling(PIO_DEFAULT, PIO_RETURN_ERROR, NULL);
  if (PIOc_Init_Intracomm(MPI_COMM_WORLD, 1, 1, 0, PIO_REARR_BOX, &system_id)) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 2; i < argc; ++i) {
    char text[MAX_TEXT] = "";
    int code = PIO_NOERR;
    if (strcmp(argv[1], "write-netcdf") == 0)
      code = write_netcdf(argv[i]);
    else if (strcmp(argv[1], "read-netcdf") == 0)
      code = read_netcdf(argv[i], text);
    else if (strcmp(argv[1], "delete") == 0)
      code = PIOc_deletefile(system_id, argv[i]);
    else if (!few || rank < 2)
      code = strcmp(argv[1], "write") == 0 ? write_file(argv[i], some) : read_file(argv[i], some, text);
    if (code) sprintf(text, "%d: %s", code, collio_pio_error_text());
    print_in_turn(text);
  }
  PIOc_finalize(system_id);
  MPI_Comm_free(&some);
  MPI_Finalize();
  return 0;
}
