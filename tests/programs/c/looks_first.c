/* Libraries that look at a file by POSIX calls before, or in place of, opening it by MPI: `write FILE` makes
 * a classic netCDF file by PnetCDF, `read FILE` reads it by PnetCDF, by netCDF on one rank, and by the C
 * library. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <netcdf.h>
#include <pnetcdf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

enum { WIDTH = 500000 };
static int rank, ranks;

#define PNC(call) pnc(call, #call)
static void pnc(int result, const char* call) {
  if (result != NC_NOERR) stop(call, ncmpi_strerror(result));
}
#define NC(call) nc(call, #call)
static void nc(int result, const char* call) {
  if (result != NC_NOERR) stop(call, nc_strerror(result));
}

static int value(int i) { return 7 * i + 3; }

static void write_file(const char* path) {
  static int data[WIDTH];
  int file, dimension, variable;
  const MPI_Offset start = (MPI_Offset)WIDTH * rank, count = WIDTH;
  PNC(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER | NC_64BIT_OFFSET, MPI_INFO_NULL, &file));
  PNC(ncmpi_def_dim(file, "x", (MPI_Offset)WIDTH * ranks, &dimension));
  PNC(ncmpi_def_var(file, "v", NC_INT, 1, &dimension, &variable));
  PNC(ncmpi_enddef(file));
  for (int i = 0; i < WIDTH; ++i) data[i] = value(WIDTH * rank + i);
  PNC(ncmpi_put_vara_int_all(file, variable, &start, &count, data));
  PNC(ncmpi_close(file));
}

static void by_pnetcdf(const char* path) {
  static int data[WIDTH];
  int file, format = 0, good = 1;
  const MPI_Offset start = (MPI_Offset)WIDTH * rank, count = WIDTH;
  PNC(ncmpi_inq_file_format(path, &format));
  check(format == NC_FORMAT_CDF2, "the format");
  PNC(ncmpi_open(MPI_COMM_WORLD, path, NC_NOWRITE, MPI_INFO_NULL, &file));
  PNC(ncmpi_get_vara_int_all(file, 0, &start, &count, data));
  PNC(ncmpi_close(file));
  for (int i = 0; i < WIDTH; ++i) good = good && data[i] == value(WIDTH * rank + i);
  check(good, "PnetCDF's values");
}

static void by_netcdf(const char* path) {
  static int data[WIDTH];
  int file, good = 1;
  const size_t start = (size_t)WIDTH * rank, count = WIDTH;
  NC(nc_open(path, NC_NOWRITE, &file));
  NC(nc_get_vara_int(file, 0, &start, &count, data));
  NC(nc_close(file));
  for (int i = 0; i < WIDTH; ++i) good = good && data[i] == value(WIDTH * rank + i);
  check(good, "netCDF's values");
}

/* The last value is at the end of the file, with its bytes in the order of the network. */
static int is_last(const unsigned char* at) {
  const unsigned last = (unsigned)value(WIDTH * ranks - 1);
  return at[0] == last >> 24 && at[1] == (last >> 16 & 255) && at[2] == (last >> 8 & 255) &&
         at[3] == (last & 255);
}

static void by_c(const char* path) {
  struct stat named, opened;
  unsigned char last[4];
  const int fd = open(path, O_RDONLY);
  check(fd >= 0 && stat(path, &named) == 0 && fstat(fd, &opened) == 0, "open and stat");
  check(named.st_size == opened.st_size && named.st_size > (off_t)sizeof(int) * WIDTH * ranks, "the size");
  check(pread(fd, last, 4, named.st_size - 4) == 4 && is_last(last), "pread");
  unsigned char* mapped = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
  check(mapped != MAP_FAILED && memcmp(mapped, "CDF\2", 4) == 0, "mmap");
  mapped = mremap(mapped, 4096, (size_t)named.st_size, MREMAP_MAYMOVE);
  check(mapped != MAP_FAILED && is_last(mapped + named.st_size - 4), "mremap");
  munmap(mapped, (size_t)named.st_size);
  close(fd);
  FILE* stream = fopen(path, "rb");
  check(stream && fseek(stream, -4, SEEK_END) == 0 && fread(last, 1, 4, stream) == 4 && is_last(last),
        "fread");
  if (stream) fclose(stream);
}

/* The placeholder, by all calls alike. */
static void by_system_calls(const char* path) {
  struct stat named, opened;
  static char bytes[4097];
  const int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY, 0);
  check(fd >= 0 && syscall(SYS_newfstatat, AT_FDCWD, path, &named, 0) == 0, "open and stat by syscall");
  check(syscall(SYS_fstat, fd, &opened) == 0 && named.st_size == opened.st_size, "the size by syscall");
  const long read = syscall(SYS_read, fd, bytes, sizeof bytes);
  check(read == (named.st_size < 4097 ? named.st_size : 4097), "read by syscall");
  close(fd);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3) stop("arguments", "usage: looks_first write|read FILE");
  if (strcmp(argv[1], "write") == 0) write_file(argv[2]);
  MPI_Barrier(MPI_COMM_WORLD);
  by_c(argv[2]);
  by_system_calls(argv[2]);
  by_pnetcdf(argv[2]);
  by_netcdf(argv[2]);
  return verdict();
}
