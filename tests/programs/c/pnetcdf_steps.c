/* Steps of a program of PnetCDF that may be killed, or whose storage may fail.

       write FOLDER MICROSECONDS [RANK]    until ranks, or one, kill themselves so long after the start; rank
   0 makes FOLDER/mark-N when N steps are flushed read FOLDER N                       that many steps have
   what was written fail FOLDER                         all ranks get the same codes, some an error, and the
   file is closed

   A step is a record of two variables: one put by lists of pieces, one by a buffered put, then a wait; each
   third step of the second by calls of independent mode. */
#include <fcntl.h>
#include <mpi.h>
#include <pnetcdf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { most_steps = 4000, pieces = 64, length = 5, ranks_known = 4, row = pieces * length * ranks_known };

static int rank, size, ncid, by_list, buffered;
static int data[pieces * length];

static void end(int number) {
  (void)number;
  raise(SIGKILL);
}

static int value(int step, MPI_Offset x) { return 7 * step + (int)x; }

static int worst(int one, int other) { return one ? one : other; }

/* Pieces of this rank: those of all ranks in turn. */
static MPI_Offset place(int piece) { return ((MPI_Offset)piece * size + (rank + piece) % size) * length; }

static void fill(int step) {
  for (int i = 0; i < pieces * length; ++i) data[i] = value(step, place(i / length) + i % length);
}

static int post(int step) {
  MPI_Offset start[pieces][2], count[pieces][2], *starts[pieces], *counts[pieces];
  for (int i = 0; i < pieces; ++i) {
    start[i][0] = step;
    start[i][1] = place(i);
    count[i][0] = 1;
    count[i][1] = length;
    starts[i] = start[i];
    counts[i] = count[i];
  }
  fill(step);
  int code = ncmpi_iput_varn_int(ncid, by_list, pieces, starts, counts, data, NULL);
  if (step % 3) return worst(code, ncmpi_bput_varn_int(ncid, buffered, pieces, starts, counts, data, NULL));
  code = worst(code, ncmpi_begin_indep_data(ncid));
  for (int i = 0; i < pieces; ++i)
    code = worst(code, ncmpi_put_vara_int(ncid, buffered, starts[i], counts[i], data + i * length));
  return worst(code, ncmpi_end_indep_data(ncid));
}

static int make(const char* path) {
  int dims[2];
  int code = ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER | NC_64BIT_OFFSET, MPI_INFO_NULL, &ncid);
  if (code) return code;
  ncmpi_def_dim(ncid, "time", NC_UNLIMITED, &dims[0]);
  ncmpi_def_dim(ncid, "x", (MPI_Offset)pieces * length * size, &dims[1]);
  ncmpi_def_var(ncid, "by_list", NC_INT, 2, dims, &by_list);
  ncmpi_def_var(ncid, "buffered", NC_INT, 2, dims, &buffered);
  code = ncmpi_enddef(ncid);
  return worst(code, ncmpi_buffer_attach(ncid, sizeof data));
}

static void mark(const char* folder, int steps) {
  char path[4096];
  snprintf(path, sizeof path, "%s/mark-%d", folder, steps);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) close(open(path, O_CREAT | O_WRONLY, 0644));
}

static int write_steps(const char* folder, const char* path) {
  int code = make(path);
  for (int step = 0; step < most_steps && !code; ++step) {
    code = post(step);
    code = worst(code, ncmpi_wait_all(ncid, NC_REQ_ALL, NULL, NULL));
    code = worst(code, ncmpi_sync(ncid));
    if (!code) mark(folder, step + 1);
  }
  return code;
}

static int read_steps(const char* path, int steps) {
  static int row_data[row];
  const char* const names[] = {"by_list", "buffered"};
  MPI_Offset records = 0;
  int dim = 0, code = ncmpi_open(MPI_COMM_WORLD, path, NC_NOWRITE, MPI_INFO_NULL, &ncid);
  if (code) return code;
  ncmpi_inq_unlimdim(ncid, &dim);
  ncmpi_inq_dimlen(ncid, dim, &records);
  if (records < steps) return printf("%lld records, %d were flushed\n", (long long)records, steps);
  for (int which = 0; which < 2; ++which)
    for (int step = 0; step < steps; ++step) {
      const MPI_Offset start[] = {step, 0}, count[] = {1, row};
      int id = 0;
      ncmpi_inq_varid(ncid, names[which], &id);
      code = worst(code, ncmpi_get_vara_int_all(ncid, id, start, count, row_data));
      for (int x = 0; x < row; ++x)
        if (row_data[x] != value(step, x))
          return printf("%s[%d][%d] is %d, not %d\n", names[which], step, x, row_data[x], value(step, x));
    }
  return worst(code, ncmpi_close(ncid));
}

static int fail(const char* path) {
  int errors = 0, made = make(path);
  if (made) return made;
  for (int step = 0; step < 8; ++step) {
    int codes[2];
    const int posted = post(step);
    codes[0] = ncmpi_wait_all(ncid, NC_REQ_ALL, NULL, NULL);
    codes[1] = -codes[0];
    MPI_Allreduce(MPI_IN_PLACE, codes, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (codes[0] != -codes[1]) return printf("step %d: %d and %d\n", step, codes[0], -codes[1]);
    errors += codes[0] != 0 || posted != 0;
    int left = 0;
    if (ncmpi_inq_nreqs(ncid, &left) || left) return printf("step %d: %d requests are left\n", step, left);
  }
  ncmpi_buffer_detach(ncid);
  ncmpi_close(ncid);
  MPI_Allreduce(MPI_IN_PLACE, &errors, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return errors ? 0 : printf("no error\n");
}

int main(int argc, char** argv) {
  char path[4096];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 3) return 2;
  snprintf(path, sizeof path, "%s/a.nc", argv[2]);
  int code = 0;
  if (strcmp(argv[1], "fail") == 0) {
    code = fail(path);
  } else if (strcmp(argv[1], "read") == 0) {
    code = read_steps(path, atoi(argv[3]));
  } else {
    const long after_us = atol(argv[3]);
    const struct itimerval timer = {{0, 0}, {after_us / 1000000, after_us % 1000000}};
    signal(SIGALRM, end);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc < 5 || rank == atoi(argv[4])) setitimer(ITIMER_REAL, &timer, NULL);
    code = write_steps(argv[2], path);
  }
  if (code < 0) printf("rank %d: %s\n", rank, ncmpi_strerror(code));
  MPI_Finalize();
  return code != 0;
}
