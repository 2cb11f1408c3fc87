/* What ranks leave in the report of `collio run --report` (COLLIO_EXITS) at their exit: that the preload is
 * there, whether it saw MPI_Init and MPI_File_open, how many bytes the process gave to storage after
 * MPI_Init, and which I/O libraries are loaded. Rank 0 does, and the first of those that wrote past MPI-IO or
 * have no engine. Without a report rank 0 says itself where an I/O library that writes past MPI-IO is the
 * likely reason for no call. Nothing here is collective, and nothing happens between MPI_Init and the exit.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpiio/shim/shim.h"

enum { most_ranks = 64 };                     /* that leave a line */
static const long long least_bytes = 1 << 20; /* less may be anything: logs, caches of an interpreter */

static int opened, absent;
static pid_t rank_process; /* 0: no MPI_Init was seen */
static long long before;

struct libraries {
  int adios, hdf5, mpi;
  void* pnetcdf;
};

/* Bytes this process gave to storage, memory of files left out; sockets are no storage. */
static long long bytes_written(void) {
  long long bytes = 0;
  char line[128];
  FILE* about = fopen("/proc/self/io", "re");
  while (about && fgets(line, sizeof line, about)) sscanf(line, "write_bytes: %lld", &bytes);
  if (about) fclose(about);
  return bytes;
}

void shim_note_init(void) {
  if (rank_process) return;
  rank_process = getpid();
  before = bytes_written();
}

void shim_note_open(void) { opened = 1; }

void shim_note_absent(void) { absent = 1; }

static int is_named(const char* path, const char* name) {
  const char* slash = strrchr(path, '/');
  return strncmp(slash ? slash + 1 : path, name, strlen(name)) == 0;
}

static int note_library(struct dl_phdr_info* info, size_t size, void* data) {
  struct libraries* found = data;
  (void)size;
  found->adios |= is_named(info->dlpi_name, "libadios2");
  found->hdf5 |= is_named(info->dlpi_name, "libhdf5");
  found->mpi |= is_named(info->dlpi_name, "libmpi.so") || is_named(info->dlpi_name, "libmpich.so") ||
                is_named(info->dlpi_name, "libmpi_");
  if (is_named(info->dlpi_name, "libpnetcdf") && !found->pnetcdf)
    found->pnetcdf = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  return 0;
}

/* Major * 100 + minor; 0: there is none. */
static int pnetcdf_version(void* library) {
  const char* (*ask)(void) = NULL;
  int major = 0, minor = 0;
  if (library) *(void**)&ask = dlsym(library, "ncmpi_inq_libvers");
  if (!ask || sscanf(ask(), "%d.%d", &major, &minor) != 2) return 0;
  return major * 100 + minor;
}

/* As launchers tell it; -1: none did. */
static int rank_by_environment(void) {
  static const char* const names[] = {"PMI_RANK",    "PMIX_RANK",      "OMPI_COMM_WORLD_RANK",
                                      "PALS_RANKID", "FLUX_TASK_RANK", "JSM_NAMESPACE_RANK",
                                      "ALPS_APP_PE", "SLURM_PROCID"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (secure_getenv(names[i])) return atoi(secure_getenv(names[i]));
  return -1;
}

int shim_speaks(void) {
  const char* verbose = secure_getenv("COLLIO_VERBOSE");
  return rank_by_environment() <= 0 || (verbose && *verbose && strcmp(verbose, "0") != 0);
}

static void leave_line(const char* report, int rank, long long written, const struct libraries* found) {
  char line[256];
  const int length = snprintf(line, sizeof line,
                              "{\"at_exit\": {\"rank\": %d, \"init\": %d, \"opened\": %d, \"absent\": %d, "
                              "\"written\": %lld, \"pnetcdf\": %d, \"adios\": %d, \"hdf5\": %d}}\n",
                              rank, rank_process != 0, opened, absent, written,
                              pnetcdf_version(found->pnetcdf), found->adios, found->hdf5);
  const int fd = open(report, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0) return;
  if (write(fd, line, (size_t)length) != length)
    fprintf(stderr, "collio: the report cannot be written to %s\n", report);
  close(fd);
}

static void say(long long written, const struct libraries* found) {
  const int version = pnetcdf_version(found->pnetcdf);
  if (version >= 115)
    fprintf(stderr,
            "collio: saw no MPI_File_open, but rank 0 wrote %lld MiB: likely PnetCDF %d.%d by its own driver "
            "(GIO), which makes no MPI-IO call; "
            "PNETCDF_HINTS=nc_driver=mpiio gives the files to collio\n",
            written >> 20, version / 100, version % 100);
  else if (found->adios)
    fprintf(stderr,
            "collio: saw no MPI_File_open, but rank 0 wrote %lld MiB: likely ADIOS2, whose engines make no "
            "MPI-IO call\n",
            written >> 20);
}

/* Whether this rank tells something that others of the job do not. */
static int has_news(int rank, long long written) {
  return rank == 0 || absent || (!opened && written >= least_bytes);
}

__attribute__((destructor)) static void note_exit(void) {
  struct libraries found = {0};
  const char* enable = secure_getenv("COLLIO_ENABLE");
  const char* report = secure_getenv("COLLIO_EXITS") ? secure_getenv("COLLIO_REPORT") : NULL;
  int rank = rank_by_environment();
  if ((enable && strcmp(enable, "0") == 0) || (rank_process ? rank_process != getpid() : rank < 0)) return;
  if (rank < 0) rank = 0;
  if (rank >= most_ranks || (!report && (rank > 0 || opened))) return;
  dl_iterate_phdr(note_library, &found);
  const long long written = rank_process ? bytes_written() - before : 0;
  if (report && (rank_process || found.mpi) && has_news(rank, written))
    leave_line(report, rank, written, &found);
  if (!report && written >= least_bytes) say(written, &found);
  if (found.pnetcdf) dlclose(found.pnetcdf);
}

int shim_missing(const char* name) {
  const struct mpi_family* family = shim_family();
  static int said;
  if (!said++ && shim_speaks()) fprintf(stderr, "collio: the MPI library has no %s\n", name);
  return family ? family->err_other : 16;
}
