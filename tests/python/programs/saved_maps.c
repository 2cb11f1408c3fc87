/* Saves decompositions of 40 elements in FOLDER/own, and with PIO also in FOLDER/text and FOLDER/netcdf.nc,
   once for each step: in step S element e of rank r is S * r + e. Rank 0 makes FOLDER/mark-S after step S.

     saved_maps FOLDER STEPS */
#include <collio/collio.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef WITH_PIO
#include <pio.h>
#endif

enum { ELEMENTS = 40, MOST = 8 };

static int rank;

static void good(int code, const char* text) {
  if (code == 0) return;
  fprintf(stderr, "rank %d: code %d: %s\n", rank, code, text);
  MPI_Abort(MPI_COMM_WORLD, 2);
}

static void save_by_collio(const char* path, int step) {
  int64_t shape = ELEMENTS, map[MOST];
  collio_decomposition* decomposition = NULL;
  for (int i = 0; i < MOST; ++i) map[i] = (step * rank + i) % ELEMENTS;
  good(collio_map(1, &shape, MOST, map, &decomposition), collio_error_text());
  good(collio_save(MPI_COMM_WORLD, path, decomposition), collio_error_text());
  good(collio_free(&decomposition), collio_error_text());
}

#ifdef WITH_PIO
static void save_by_pio(const char* text, const char* netcdf, int step) {
  static int system;
  int layout;
  const int shape = ELEMENTS;
  char title[] = "maps", history[] = "of a test";
  PIO_Offset map[MOST];
  for (int i = 0; i < MOST; ++i) map[i] = (step * rank + i) % ELEMENTS + 1;
  if (!system)
    good(PIOc_Init_Intracomm(MPI_COMM_WORLD, 1, 1, 0, PIO_REARR_BOX, &system), collio_pio_error_text());
  good(PIOc_InitDecomp_ReadOnly(system, PIO_INT, 1, &shape, MOST, map, &layout, NULL, NULL, NULL),
       collio_pio_error_text());
  good(PIOc_write_decomp(text, system, layout, MPI_COMM_WORLD), collio_pio_error_text());
  good(PIOc_write_nc_decomp(system, netcdf, PIO_CLOBBER, layout, title, history, 0), collio_pio_error_text());
  good(PIOc_freedecomp(system, layout), collio_pio_error_text());
}
#endif

int main(int argc, char** argv) {
  char path[3][4096];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 1; step <= atoi(argv[2]); ++step) {
    snprintf(path[0], sizeof path[0], "%s/own", argv[1]);
    save_by_collio(path[0], step);
#ifdef WITH_PIO
    snprintf(path[1], sizeof path[1], "%s/text", argv[1]);
    snprintf(path[2], sizeof path[2], "%s/netcdf.nc", argv[1]);
    save_by_pio(path[1], path[2], step);
#endif
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(path[0], sizeof path[0], "%s/mark-%d", argv[1], step);
    if (rank == 0) close(open(path[0], O_CREAT | O_WRONLY, 0644));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
