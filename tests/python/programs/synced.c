/* Writes a file in three steps of 64 KiB with MPI_File_sync after each. After each sync, and after the close,
   rank 0 makes the file FOLDER/mark-1, mark-2, mark-3, mark-4: what was promised by then. mark-5 comes before
   the file is deleted, by MPI_File_delete or by its close, and mark-6 after it.

   slow-S: writes to subfile 2 take ten times as long as others from step S on.

     synced FILE FOLDER [delete | delete-on-close | slow-1 | slow-2] */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STEP_BYTES = 65536, STEPS = 3, DELETING = STEPS + 2 };

static int slow_from, step;

/* Stands in front of the engine's. */
ssize_t pwrite(int fd, const void* bytes, size_t count, off_t at) {
  static ssize_t (*real)(int, const void*, size_t, off_t);
  if (!real) *(void**)&real = dlsym(RTLD_NEXT, "pwrite");
  char link[64], name[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = slow_from ? readlink(link, name, sizeof name - 1) : 0;
  name[length > 0 ? length : 0] = '\0';
  if (strstr(name, ".000")) usleep(strstr(name, ".0002") && step >= slow_from ? 1000000 : 100000);
  return real(fd, bytes, count, at);
}

static void mark(const char* folder, int number) {
  char path[4096];
  MPI_Barrier(MPI_COMM_WORLD);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(path, sizeof path, "%s/mark-%d", folder, number);
  if (rank == 0) close(open(path, O_CREAT | O_WRONLY, 0644));
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_File file;
  const char* end = argc > 3 ? argv[3] : "";
  const int at_close = strcmp(end, "delete-on-close") == 0;
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | (at_close ? MPI_MODE_DELETE_ON_CLOSE : 0);
  if (strncmp(end, "slow-", 5) == 0) slow_from = end[5] - '0';
  if (argc < 3 || MPI_File_open(MPI_COMM_WORLD, argv[1], mode, MPI_INFO_NULL, &file) != MPI_SUCCESS)
    MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
  const int mine = STEP_BYTES / ranks;
  char bytes[STEP_BYTES];
  for (step = 1; step <= STEPS; ++step) {
    memset(bytes, 'a' + step, sizeof bytes);
    MPI_File_write_at_all(file, (MPI_Offset)(step - 1) * STEP_BYTES + rank * mine, bytes, mine, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    mark(argv[2], step);
  }
  if (at_close) mark(argv[2], DELETING);
  MPI_File_close(&file);
  if (!at_close) mark(argv[2], STEPS + 1);
  if (strcmp(end, "delete") == 0) {
    mark(argv[2], DELETING);
    if (rank == 0 && MPI_File_delete(argv[1], MPI_INFO_NULL) != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 3);
  }
  if (*end && !slow_from) mark(argv[2], DELETING + 1);
  MPI_Finalize();
  return 0;
}
