/* Ranks write a file in steps, one call each: rank r has blocks r, r + ranks, ... of a step. A byte is what
 * its place in the file says, so that any reader can check it.
 *
 *   steps PATH BLOCK_BYTES BLOCKS STEPS [exclusive] [full-length] [synced] [HINT=VALUE...]
 *
 * full-length: the file has its length before the first write. synced: MPI_File_sync comes before the close.
 * Prints the seconds of the writes, both included, and on the lab's striped file system the lock transfers
 * that its root counts. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

static unsigned char byte_at(MPI_Offset place) { return (unsigned char)((place >> 12) * 31 + place * 7); }

static void check(int code, const char* what) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0, rank = 0;
  if (code == MPI_SUCCESS) return;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Error_string(code, text, &length);
  fprintf(stderr, "rank %d: %s: %s\n", rank, what, text);
  MPI_Finalize();
  exit(3);
}

/* Of the file system that the file's folder is the root of; -1: it counts none. */
static long lock_transfers(const char* path) {
  char folder[4096], text[1024];
  snprintf(folder, sizeof folder, "%s", path);
  char* slash = strrchr(folder, '/');
  if (slash == NULL) return -1;
  *slash = '\0';
  const ssize_t length = getxattr(folder, "user.collio.counters", text, sizeof text - 1);
  if (length < 0) return -1;
  text[length] = '\0';
  const char* found = strstr(text, "lock_transfers=");
  return found != NULL ? atol(strchr(found, '=') + 1) : -1;
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  int rank = 0, ranks = 1, mode = MPI_MODE_CREATE | MPI_MODE_RDWR, full_length = 0, synced = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int block = atoi(words[2]), blocks = atoi(words[3]), steps = atoi(words[4]);
  MPI_Info info;
  MPI_Info_create(&info);
  for (int i = 5; i < count; ++i) {
    char* equals = strchr(words[i], '=');
    if (strcmp(words[i], "exclusive") == 0) mode |= MPI_MODE_EXCL;
    if (strcmp(words[i], "full-length") == 0) full_length = 1;
    if (strcmp(words[i], "synced") == 0) synced = 1;
    if (equals == NULL) continue;
    *equals = '\0';
    MPI_Info_set(info, words[i], equals + 1);
  }
  MPI_File file;
  check(MPI_File_open(MPI_COMM_WORLD, words[1], mode, info, &file), "open");
  const MPI_Offset stride = (MPI_Offset)block * ranks, step = stride * blocks;
  if (full_length) check(MPI_File_set_size(file, step * steps), "set_size");
  MPI_Datatype vector, pieces; /* the next step begins where this one ends */
  MPI_Type_vector(blocks, block, (int)stride, MPI_BYTE, &vector);
  MPI_Type_create_resized(vector, 0, (MPI_Aint)step, &pieces);
  MPI_Type_free(&vector);
  MPI_Type_commit(&pieces);
  check(MPI_File_set_view(file, (MPI_Offset)rank * block, MPI_BYTE, pieces, "native", MPI_INFO_NULL),
        "set_view");
  unsigned char* data = malloc((size_t)block * (size_t)blocks);
  double seconds = 0;
  for (int k = 0; k < steps; ++k) {
    for (int i = 0; i < block * blocks; ++i)
      data[i] = byte_at(k * step + i / block * stride + (MPI_Offset)rank * block + i % block);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    check(MPI_File_write_all(file, data, block * blocks, MPI_BYTE, MPI_STATUS_IGNORE), "write_all");
    seconds += MPI_Wtime() - begin;
  }
  const double begin = MPI_Wtime();
  if (synced) check(MPI_File_sync(file), "sync");
  check(MPI_File_close(&file), "close");
  seconds += MPI_Wtime() - begin;
  if (rank == 0) printf("seconds=%.4f lock_transfers=%ld\n", seconds, lock_transfers(words[1]));
  MPI_Type_free(&pieces);
  MPI_Info_free(&info);
  free(data);
  MPI_Finalize();
  return 0;
}
