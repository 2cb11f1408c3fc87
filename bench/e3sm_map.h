/* Reader of the binary maps that the Python package collio.e3sm writes: which rank writes which elements of a
 * variable.
 *
 * Format (native byte order, all integers int64):
 *   bytes 0-7  "COLLIOE3"; 8 version = 1; 16 ranks; 24 decompositions D
 *   32         D records of 64 bytes: name (16 chars, NUL-padded), number of dims (1..4), dims[4], runs over
 * all ranks then       for each decomposition: runs of each rank (ranks values) then       for each
 * decomposition, rank after rank: (offset, length) of each run in elements, sorted within the rank and
 * nothing after that, so that a truncated file is known by its size.
 *
 * Plain C99 and POSIX, no MPI. Every function returns 0, or -1 with a text in `error` that names the file and
 * the value. */
#ifndef COLLIO_BENCH_E3SM_MAP_H
#define COLLIO_BENCH_E3SM_MAP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { E3SM_MAP_MAX_DIMS = 4, E3SM_MAP_NAME_BYTES = 16, E3SM_MAP_ERROR_BYTES = 512 };

typedef struct e3sm_run {
  int64_t offset; /* elements from the start of the variable */
  int64_t length; /* elements */
} e3sm_run;

typedef struct e3sm_runs {
  const e3sm_run* first;
  int64_t count;
} e3sm_runs;

typedef struct e3sm_decomposition {
  char name[E3SM_MAP_NAME_BYTES];
  int64_t ndims;
  int64_t dims[E3SM_MAP_MAX_DIMS];
  int64_t elements;      /* product of dims */
  int64_t run_count;     /* over all ranks */
  const int64_t* counts; /* runs of each rank */
  const e3sm_run* runs;  /* of all ranks, one after the other */
} e3sm_decomposition;

typedef struct e3sm_map {
  int64_t ranks;
  int64_t decomposition_count;
  e3sm_decomposition* decompositions;
  void* memory; /* the file, mapped: shared by the processes of a node, read on demand */
  size_t memory_bytes;
} e3sm_map;

/* Open and check the head, the sizes and the counts. Cost: O(ranks x decompositions). */
int e3sm_map_open(const char* path, e3sm_map* map, char error[E3SM_MAP_ERROR_BYTES]);

/* Runs of one rank, checked to be sorted and inside the variable. Cost: O(rank + its runs). */
int e3sm_map_rank(const e3sm_map* map, int64_t decomposition, int64_t rank, e3sm_runs* runs,
                  char error[E3SM_MAP_ERROR_BYTES]);

void e3sm_map_close(e3sm_map* map);

#ifdef __cplusplus
}
#endif
#endif
