/* PIO: writes three records of 100 x ranks doubles and a sync after each; rank 0 makes FOLDER/mark-N after
   sync N, and FOLDER/mark-4 after the close.

     synced_pio FILE FOLDER */
#include <fcntl.h>
#include <pio.h>
#include <stdio.h>
#include <unistd.h>

enum { CELLS = 100, STEPS = 3 };

static int rank;

static void good(int code) {
  if (code == PIO_NOERR) return;
  fprintf(stderr, "rank %d: code %d: %s\n", rank, code, collio_pio_error_text());
  MPI_Abort(MPI_COMM_WORLD, 2);
}

static void mark(const char* folder, int number) {
  char path[4096];
  MPI_Barrier(MPI_COMM_WORLD);
  snprintf(path, sizeof path, "%s/mark-%d", folder, number);
  if (rank == 0) close(open(path, O_CREAT | O_WRONLY, 0644));
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int size, system, layout, file, dims[2], variable, type = PIO_IOTYPE_PNETCDF;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int shape = CELLS * size;
  PIO_Offset map[CELLS];
  double data[CELLS];
  for (int i = 0; i < CELLS; ++i) map[i] = (PIO_Offset)rank * CELLS + i + 1;
  good(PIOc_Init_Intracomm(MPI_COMM_WORLD, 1, 1, 0, PIO_REARR_BOX, &system));
  good(PIOc_InitDecomp(system, PIO_DOUBLE, 1, &shape, CELLS, map, &layout, NULL, NULL, NULL));
  good(PIOc_createfile(system, &file, &type, argv[1], PIO_CLOBBER | PIO_64BIT_DATA));
  good(PIOc_def_dim(file, "time", PIO_UNLIMITED, &dims[0]));
  good(PIOc_def_dim(file, "cell", shape, &dims[1]));
  good(PIOc_def_var(file, "T", PIO_DOUBLE, 2, dims, &variable));
  good(PIOc_enddef(file));
  for (int step = 1; step <= STEPS; ++step) {
    for (int i = 0; i < CELLS; ++i) data[i] = step;
    good(PIOc_setframe(file, variable, step - 1));
    good(PIOc_write_darray(file, variable, layout, CELLS, data, NULL));
    good(PIOc_sync(file));
    mark(argv[2], step);
  }
  good(PIOc_closefile(file));
  mark(argv[2], STEPS + 1);
  good(PIOc_finalize(system));
  MPI_Finalize();
  return 0;
}
