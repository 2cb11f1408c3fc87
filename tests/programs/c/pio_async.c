/* I/O tasks apart from the ranks that compute: pio_async lists|comms|intercomm FOLDER, on 4 ranks or more.
   Rank 0 is the I/O task, rank 1 the first component, the others the second. Each component writes
   "part<i>.nc" with an element of each of its ranks, twice: the systems are made again after the first time.
   Prints "I/O task: after N files". */
#define COLLIO_PIO_SCORPIO
#include <pio.h>
#include <unistd.h>

enum { components = 2 };
static int rank, ranks;
static const char *way, *folder;

static void need(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "rank %d: %s: %s\n", rank, what, collio_pio_error_text());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void path_of(int component, char* path) { sprintf(path, "%s/part%d.nc", folder, component); }

static int make(int* ids) {
  const int counts[] = {1, ranks - 2};
  if (strcmp(way, "lists") == 0)
    return PIOc_init_async(MPI_COMM_WORLD, 1, NULL, components, counts, NULL, NULL, NULL, PIO_REARR_BOX, ids);
  const int color = rank < 2 ? rank : 2;
  MPI_Comm part, parts[components] = {MPI_COMM_NULL, MPI_COMM_NULL}, io = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, color, rank, &part);
  *(color == 0 ? &io : &parts[color - 1]) = part;
  const int code = strcmp(way, "comms") == 0
                       ? PIOc_init_async_from_comms(MPI_COMM_WORLD, components, parts, io, PIO_REARR_BOX, ids)
                       : PIOc_init_intercomm(components, MPI_COMM_WORLD, parts, io, PIO_REARR_BOX, ids);
  MPI_Comm_free(&part);
  return code;
}

static void write_part(int id, int component) {
  char path[1024];
  const int first = component == 0 ? 1 : 2, size = component == 0 ? 1 : ranks - 2;
  const PIO_Offset map = rank - first + 1;
  int file, dim, variable, layout, tasks, task_rank;
  bool task = true;
  path_of(component, path);
  PIOc_iam_iotask(id, &task);
  PIOc_iotask_rank(id, &task_rank);
  PIOc_get_numiotasks(id, &tasks);
  need(!task && task_rank == -1 && tasks == 1, "I/O tasks");
  need(!PIOc_create(id, path, PIO_CLOBBER, &file), "create");
  need(!PIOc_def_dim(file, "rank", size, &dim) && !PIOc_def_var(file, "rank", PIO_INT, 1, &dim, &variable),
       "define");
  need(!PIOc_enddef(file), "enddef");
  need(!PIOc_InitDecomp(id, PIO_INT, 1, &size, 1, &map, &layout, NULL, NULL, NULL), "map");
  need(!PIOc_write_darray(file, variable, layout, 1, &rank, NULL), "write");
  need(!PIOc_closefile(file), "close");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  need(argc == 3 && ranks >= 4, "usage");
  way = argv[1], folder = argv[2];
  for (int turn = 0; turn < 2; ++turn) {
    char path[1024];
    int ids[components], files = 0;
    need(!make(ids), "init");
    if (rank == 0) {
      for (int c = 0; c < components; ++c) {
        path_of(c, path);
        files += access(path, R_OK) == 0;
      }
      printf("I/O task: after %d files\n", files);
    }
    for (int c = 0; c < components; ++c)
      if (rank > 0 && (c == 0) == (rank == 1)) {
        need(ids[c] >= 0, "id");
        usleep(50000 * (c + 1)); /* the I/O task has to wait */
        write_part(ids[c], c);
        need(!PIOc_finalize(ids[c]), "finalize");
      } else {
        need(ids[c] == -1, "id");
      }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int c = 0; c < components && rank == 0 && turn == 0; ++c) {
      path_of(c, path);
      unlink(path);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  PIOc_set_iosystem_error_handling(PIO_DEFAULT, PIO_RETURN_ERROR, NULL);
  int ids[components];
  const int counts[] = {1, ranks};
  const int far =
      PIOc_init_async(MPI_COMM_WORLD, 1, NULL, components, counts, NULL, NULL, NULL, PIO_REARR_BOX, ids);
  need(far == PIO_EINVAL, "too many ranks");
  if (rank == 0) printf("%s\n", collio_pio_error_text());
  MPI_Comm both = MPI_COMM_WORLD;
  need(PIOc_init_intercomm(1, MPI_COMM_WORLD, &both, rank == 0 ? MPI_COMM_SELF : MPI_COMM_NULL, PIO_REARR_BOX,
                           ids) == PIO_EINVAL,
       "a rank of two parts");
  if (rank == 0) printf("%s\n", collio_pio_error_text());
  MPI_Finalize();
  return 0;
}
