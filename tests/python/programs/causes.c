/* Calls whose time has one planted cause: causes CAUSE FOLDER. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INTS = 30000, VIEW_INTS = 150000, CALLS = 50 };

static int rank, size;
static int data[INTS];

static MPI_File opened(const char* folder, int number) {
  char path[4096];
  MPI_File file;
  snprintf(path, sizeof path, "%s/data.%d", folder, number);
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  return file;
}

/* Pieces of 4 ints, dealt to ranks in turn. */
static void interleaved(MPI_File file) {
  MPI_Datatype type;
  MPI_Type_vector(INTS / 4, 4, 4 * size, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_File_set_view(file, 16 * rank, MPI_INT, type, "native", MPI_INFO_NULL);
  MPI_Type_free(&type);
}

static void busy(double seconds) {
  const double end = MPI_Wtime() + seconds;
  while (MPI_Wtime() < end) {}
}

static void calls(const char* cause, MPI_File file) {
  const int count = strcmp(cause, "buffer") == 0 ? 4 * CALLS : CALLS;
  for (int i = 0; i < count; ++i) {
    if (strcmp(cause, "late") == 0 && rank == 1) usleep(40000);
    if (strcmp(cause, "cores") == 0) busy(0.01);
    MPI_File_write_all(file, data, INTS, MPI_INT, MPI_STATUS_IGNORE);
  }
}

/* Each rank's parts in turn, with a third of the elements left out. */
static void holes(MPI_File file) {
  MPI_Datatype type;
  MPI_Type_vector(INTS / 4, 3, 4 * size, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_File_set_view(file, 16 * rank, MPI_INT, type, "native", MPI_INFO_NULL);
  MPI_Type_free(&type);
  for (int i = 0; i < CALLS; ++i) MPI_File_write_all(file, data, INTS / 4 * 3, MPI_INT, MPI_STATUS_IGNORE);
}

/* Many short calls, each of a rank alone. */
static void alone(MPI_File file) {
  for (int i = 0; i < 1000 * CALLS; ++i)
    MPI_File_write_at(file, 400 * ((MPI_Offset)i * size + rank), data, 100, MPI_INT, MPI_STATUS_IGNORE);
}

/* All data by rank 0, a row at a time. */
static void gather(MPI_File file) {
  enum { ROW = 100 };
  static int all[8 * INTS];
  for (int i = 0; i < 4 * CALLS; ++i) {
    MPI_Gather(data, INTS, MPI_INT, all, INTS, MPI_INT, 0, MPI_COMM_WORLD);
    for (int at = 0; rank == 0 && at < INTS * size; at += ROW)
      MPI_File_write_at(file, 4 * ((MPI_Offset)(i % CALLS) * INTS * size + at), all + at, ROW, MPI_INT,
                        MPI_STATUS_IGNORE);
  }
}

static void handle(MPI_File* file, int* code, ...) {
  char text[MPI_MAX_ERROR_STRING];
  int length, bytes;
  (void)file;
  MPI_Error_string(*code, text, &length);
  MPI_Type_size(MPI_INT, &bytes);
}

/* Two calls that fail, and two that do not. */
static void failing(MPI_File file) {
  MPI_Errhandler handler;
  MPI_File_create_errhandler(handle, &handler);
  MPI_File_set_errhandler(file, handler);
  MPI_Errhandler_free(&handler);
  for (int i = 0; i < 2; ++i) {
    MPI_File_write_at(file, 4 * rank, data, 3, MPI_DATATYPE_NULL, MPI_STATUS_IGNORE);
    MPI_File_write_at(file, 4 * rank, data, 1, MPI_INT, MPI_STATUS_IGNORE);
  }
}

static void views(MPI_File file) {
  static int at[VIEW_INTS];
  for (int i = 0; i < VIEW_INTS; ++i) at[i] = 8 * i + i % 3 + 4 * rank;
  for (int i = 0; i < 2 * CALLS; ++i) {
    MPI_Datatype type;
    MPI_Type_create_indexed_block(VIEW_INTS, 1, at, MPI_INT, &type);
    MPI_Type_commit(&type);
    at[i] += 1; /* another view each time */
    MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL);
    MPI_Type_free(&type);
    MPI_File_write_at_all(file, 0, data, 1, MPI_INT, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char *cause = argv[1], *folder = argv[2];
  const int files = strcmp(cause, "opening") == 0 ? 2 * CALLS : 1;
  for (int i = 0; i < files; ++i) {
    MPI_File file = opened(folder, i);
    if (files > 1) {
      MPI_File_write_at_all(file, 4 * rank, data, 1, MPI_INT, MPI_STATUS_IGNORE);
    } else if (strcmp(cause, "views") == 0) {
      views(file);
    } else if (strcmp(cause, "short") == 0) {
      for (int call = 0; call < CALLS; ++call)
        MPI_File_write_at_all(file, 4 * (call * size + rank), data, 1, MPI_INT, MPI_STATUS_IGNORE);
    } else if (strcmp(cause, "failing") == 0) {
      failing(file);
    } else if (strcmp(cause, "holes") == 0) {
      holes(file);
    } else if (strcmp(cause, "alone") == 0) {
      alone(file);
    } else if (strcmp(cause, "gather") == 0) {
      gather(file);
    } else {
      interleaved(file);
      calls(cause, file);
    }
    MPI_File_close(&file);
  }
  if (strcmp(cause, "nothing") == 0) sleep(8);
  MPI_Finalize();
  return 0;
}
