/* Writes a file in subfiles by two calls, with a sync after each, and closes or joins it. Ranks kill
   themselves some time after a stage has begun. Rank 0 makes FOLDER/mark-1 and mark-2 when a sync has
   returned, and FOLDER/mark-3 after the close. argv: FOLDER, stage (open, first, later, close, join),
   microseconds, and the rank; without: all ranks. */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { bytes = 1 << 20, piece = 4096 };

static int rank, size;
static const char* const* words;

static void end(int number) {
  (void)number;
  raise(SIGKILL);
}

static void begin(const char* stage) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(words[2], stage) != 0 || (words[4] && rank != atoi(words[4]))) return;
  const long after_us = atol(words[3]);
  const struct itimerval timer = {{0, 0}, {after_us / 1000000, after_us % 1000000}};
  setitimer(ITIMER_REAL, &timer, NULL);
}

static void mark(int number) {
  char path[4096];
  snprintf(path, sizeof path, "%s/mark-%d", words[1], number);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) close(open(path, O_CREAT | O_WRONLY, 0644));
}

static void write_and_sync(MPI_File file, int number) {
  static char data[bytes];
  memset(data, 'a' + number, bytes);
  MPI_File_write_at_all(file, (MPI_Offset)(number - 1) * bytes, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  mark(number);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  words = (const char* const*)argv;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  signal(SIGALRM, end);
  char path[4096];
  snprintf(path, sizeof path, "%s/file", words[1]);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "collio_path", "two_layer");
  MPI_Info_set(info, "collio_window", "65536");
  MPI_Info_set(info, "collio_subfiles", "3");
  MPI_Info_set(info, "collio_subfile_unit", "100000");
  if (strcmp(words[2], "join") == 0) MPI_Info_set(info, "collio_join", "close");
  MPI_File file;
  begin("open");
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
  MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
  MPI_Datatype vector, type; /* the next call begins where this one ends */
  MPI_Type_vector(bytes / piece, piece, piece * size, MPI_BYTE, &vector);
  MPI_Type_create_resized(vector, 0, (MPI_Aint)bytes * size, &type);
  MPI_Type_commit(&type);
  MPI_File_set_view(file, (MPI_Offset)piece * rank, MPI_BYTE, type, "native", info);
  begin("first");
  write_and_sync(file, 1);
  begin("later");
  write_and_sync(file, 2);
  begin("close");
  begin("join");
  MPI_File_close(&file);
  mark(3);
  const struct itimerval never = {{0, 0},
                                  {0, 0}}; /* launchers crash or hang where ranks die in MPI_Finalize */
  setitimer(ITIMER_REAL, &never, NULL);
  MPI_Type_free(&vector);
  MPI_Type_free(&type);
  MPI_Info_free(&info);
  MPI_Finalize();
  return 0;
}
