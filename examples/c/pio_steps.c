/* Ten steps of two variables through PIO's interface, read back and checked: pio_steps FILE
   Each rank has every size-th cell, and the last rank leaves out a cell: it becomes the fill value. */
#include <pio.h>

enum { rows = 12, columns = 10, cells = rows * columns, steps = 10 };

static void check(int code) {
  if (code == PIO_NOERR) return;
  fprintf(stderr, "%s\n", collio_pio_error_text());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static double value_of(int step, PIO_Offset cell, int v) { return 1000.0 * step + (double)cell + 0.5 * v; }

int main(int argc, char** argv) {
  const int shape[] = {rows, columns};
  int rank, size, system, layout, file, type = PIO_IOTYPE_PNETCDF, dims[3], variables[2], wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* path = argc > 1 ? argv[1] : "pio_steps.nc";
  PIO_Offset map[cells]; /* counts from 1; 0: not in the array */
  double data[cells], back[cells];
  int mine = 0;
  for (int cell = rank; cell < cells; cell += size) map[mine++] = cell == cells - 1 ? 0 : cell + 1;

  check(PIOc_set_iosystem_error_handling(PIO_DEFAULT, PIO_RETURN_ERROR, NULL));
  check(PIOc_Init_Intracomm(MPI_COMM_WORLD, 1, 1, 0, PIO_REARR_BOX, &system));
  check(PIOc_InitDecomp(system, PIO_DOUBLE, 2, shape, mine, map, &layout, NULL, NULL, NULL));
  check(PIOc_createfile(system, &file, &type, path, PIO_CLOBBER | PIO_64BIT_DATA));
  check(PIOc_def_dim(file, "time", PIO_UNLIMITED, &dims[0]));
  check(PIOc_def_dim(file, "y", rows, &dims[1]));
  check(PIOc_def_dim(file, "x", columns, &dims[2]));
  check(PIOc_def_var(file, "temperature", PIO_DOUBLE, 3, dims, &variables[0]));
  check(PIOc_def_var(file, "pressure", PIO_FLOAT, 3, dims, &variables[1])); /* converted */
  check(PIOc_put_att_text(file, variables[0], "units", 1, "K"));
  check(PIOc_enddef(file));
  for (int step = 0; step < steps; ++step)
    for (int v = 0; v < 2; ++v) {
      for (int i = 0; i < mine; ++i) data[i] = value_of(step, map[i] - 1, v);
      check(PIOc_setframe(file, variables[v], step));
      check(PIOc_write_darray(file, variables[v], layout, mine, data, NULL));
    }
  check(PIOc_sync(file));
  for (int step = 0; step < steps; ++step)
    for (int v = 0; v < 2; ++v) {
      check(PIOc_setframe(file, variables[v], step));
      check(PIOc_read_darray(file, variables[v], layout, mine, back));
      for (int i = 0; i < mine; ++i) wrong += map[i] > 0 && back[i] != value_of(step, map[i] - 1, v);
    }
  check(PIOc_closefile(file));
  check(PIOc_freedecomp(system, layout));
  check(PIOc_finalize(system));
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("pio_steps: %d steps on %d ranks, %d values are wrong\n", steps, size, wrong);
  MPI_Finalize();
  return wrong != 0;
}
