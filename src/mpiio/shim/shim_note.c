/* What ranks leave in the report of `collio run --report` (COLLIO_EXITS) at their exit: that the preload is
 * there, whether it saw MPI_Init and MPI_File_open, how many bytes the process gave to storage after
 * MPI_Init, which I/O libraries are loaded, and the time in their functions (shim_watch.h). Rank 0 does, and
 * the first of those that wrote past MPI-IO, have no engine, or times of functions. Without a report rank 0
 * says itself where an I/O library that writes past MPI-IO is the likely reason for no call. Nothing here is
 * collective, and nothing happens between MPI_Init and the exit.
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
#include "mpiio/shim/shim_watch.h"

enum { most_ranks = 64, most_watched = 256, most_functions = 16 }; /* ranks that leave a line */
static const long long least_bytes = 1 << 20; /* less may be anything: logs, caches of an interpreter */
static const long long least_ns = 1000000;    /* of a function in the report */

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

/* Longer first. */
static int compare(const void* one, const void* other) {
  const struct collio_watched* const* functions[] = {one, other};
  const long long more = (*functions[1])->ns - (*functions[0])->ns;
  return (more > 0) - (more < 0);
}

/* Longest first. */
struct functions {
  int count;
  const struct collio_watched* all[most_functions];
};

/* Those that are worth a place in the report. */
static void note_functions(struct functions* found) {
  const struct collio_watched* all[most_watched];
  int count = 0;
  for (const struct collio_watched* one = shim_watched(); one && count < most_watched; one = one->next)
    if (one->ns >= least_ns || one->alone_calls) all[count++] = one;
  qsort(all, (size_t)count, sizeof *all, compare);
  found->count = count < most_functions ? count : most_functions;
  memcpy(found->all, all, (size_t)found->count * sizeof *all);
}

/* Appends the functions; the new length of the text. */
static int write_functions(char* text, int length, int room, const struct functions* found) {
  for (int i = 0; i < found->count && length < room; ++i) {
    const struct collio_watched* one = found->all[i];
    length += snprintf(text + length, (size_t)(room - length),
                       "%s{\"function\": \"%s\", \"calls\": %lld, \"seconds\": %.6f, \"own_seconds\": %.6f, "
                       "\"io_seconds\": %.6f, \"independent_calls\": %lld, \"independent_seconds\": %.6f, "
                       "\"independent_bytes\": %lld, \"not_collective\": %lld, \"causes\": %u}",
                       i ? ", " : ", \"functions\": [", one->name, one->calls, 1e-9 * (double)one->ns,
                       1e-9 * (double)one->own_ns, 1e-9 * (double)one->io_ns, one->alone_calls,
                       1e-9 * (double)one->alone_ns, one->alone_bytes, one->not_collective, one->causes);
  }
  return length;
}

static void leave_line(const char* report, int rank, long long written, const struct libraries* found,
                       const struct functions* functions) {
  char line[512 * (most_functions + 1)]; /* a function takes at most 450 letters */
  int length = snprintf(line, sizeof line,
                        "{\"at_exit\": {\"rank\": %d, \"init\": %d, \"opened\": %d, \"absent\": %d, "
                        "\"written\": %lld, \"pnetcdf\": %d, \"adios\": %d, \"hdf5\": %d",
                        rank, rank_process != 0, opened, absent, written, pnetcdf_version(found->pnetcdf),
                        found->adios, found->hdf5);
  length = write_functions(line, length, sizeof line, functions);
  length += snprintf(line + length, sizeof line - (size_t)length, "%s}}\n", functions->count ? "]" : "");
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
static int has_news(int rank, long long written, int functions) {
  return rank == 0 || absent || functions || (!opened && written >= least_bytes);
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
  struct functions functions = {0};
  if (report) note_functions(&functions);
  if (report && (rank_process || found.mpi) && has_news(rank, written, functions.count))
    leave_line(report, rank, written, &found, &functions);
  if (!report && written >= least_bytes) say(written, &found);
  if (found.pnetcdf) dlclose(found.pnetcdf);
}

int shim_missing(const char* name) {
  const struct mpi_family* family = shim_family();
  static int said;
  if (!said++ && shim_speaks()) fprintf(stderr, "collio: the MPI library has no %s\n", name);
  return family ? family->err_other : 16;
}
