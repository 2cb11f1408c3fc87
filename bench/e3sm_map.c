/* See e3sm_map.h. The file is mapped rather than read: a rank touches the head and its own runs only. */
#include "e3sm_map.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD_BYTES = 32, RECORD_BYTES = 64, VERSION = 1 };
static const char MAGIC[9] = "COLLIOE3";
static const int64_t LARGEST = INT64_C(1) << 56; /* no count or dimension is larger: sums cannot overflow */

static int64_t word(const void* memory, size_t at) {
  int64_t value;
  memcpy(&value, (const char*)memory + at, sizeof value);
  return value;
}

static int map_file(const char* path, e3sm_map* map, char* error) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    snprintf(error, E3SM_MAP_ERROR_BYTES, "%s: %s", path, strerror(errno));
    return -1;
  }
  struct stat status;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < HEAD_BYTES) {
    snprintf(error, E3SM_MAP_ERROR_BYTES,
             "%s: not a binary map: shorter than its head of %d bytes, or no regular file", path, HEAD_BYTES);
    close(fd);
    return -1;
  }
  map->memory_bytes = (size_t)status.st_size;
  map->memory = mmap(NULL, map->memory_bytes, PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  if (map->memory == MAP_FAILED) {
    map->memory = NULL;
    snprintf(error, E3SM_MAP_ERROR_BYTES, "%s: cannot map %zu bytes: %s", path, map->memory_bytes,
             strerror(errno));
    return -1;
  }
  return 0;
}

static int check_head(const char* path, e3sm_map* map, char* error) {
  if (memcmp(map->memory, MAGIC, 8) != 0) {
    snprintf(error, E3SM_MAP_ERROR_BYTES,
             "%s: does not start with \"%s\": not a binary map (python3 -m collio.e3sm makes one)", path,
             MAGIC);
    return -1;
  }
  const int64_t version = word(map->memory, 8);
  if (version != VERSION) {
    snprintf(error, E3SM_MAP_ERROR_BYTES, "%s: version %" PRId64 "; allowed: %d", path, version, VERSION);
    return -1;
  }
  map->ranks = word(map->memory, 16);
  map->decomposition_count = word(map->memory, 24);
  const int64_t words = (int64_t)(map->memory_bytes / 8);
  if (map->ranks < 1 || map->decomposition_count < 1 || map->ranks > words ||
      map->decomposition_count > words / 8 || map->decomposition_count > words / map->ranks) {
    snprintf(error, E3SM_MAP_ERROR_BYTES,
             "%s: %" PRId64 " ranks and %" PRId64
             " decompositions; allowed: 1 or more of each, and no more than %" PRId64 " bytes have room for",
             path, map->ranks, map->decomposition_count, (int64_t)map->memory_bytes);
    return -1;
  }
  return 0;
}

static int check_decomposition(const char* path, const e3sm_map* map, int64_t index, char* error) {
  e3sm_decomposition* d = &map->decompositions[index];
  const size_t at = HEAD_BYTES + (size_t)index * RECORD_BYTES;
  memcpy(d->name, (const char*)map->memory + at, E3SM_MAP_NAME_BYTES);
  d->name[E3SM_MAP_NAME_BYTES - 1] = '\0';
  d->ndims = word(map->memory, at + 16);
  d->run_count = word(map->memory, at + 56);
  d->elements = 1;
  int good = d->ndims >= 1 && d->ndims <= E3SM_MAP_MAX_DIMS && d->run_count >= 0 &&
             d->run_count <= (int64_t)(map->memory_bytes / 16);
  for (int k = 0; good && k < E3SM_MAP_MAX_DIMS; ++k) {
    d->dims[k] = word(map->memory, at + 24 + 8 * (size_t)k);
    good = d->dims[k] >= 1 && d->dims[k] <= LARGEST / d->elements;
    d->elements *= good ? d->dims[k] : 1;
  }
  if (!good) {
    snprintf(error, E3SM_MAP_ERROR_BYTES,
             "%s: decomposition %" PRId64 " (%s): %" PRId64 " dims or %" PRId64
             " runs out of range; allowed: 1 to %d dims of 1 or more, runs that fit the file",
             path, index, d->name, d->ndims, d->run_count, E3SM_MAP_MAX_DIMS);
    return -1;
  }
  int64_t sum = 0;
  for (int64_t r = 0; r < map->ranks; ++r) {
    if (d->counts[r] < 0 || d->counts[r] > d->run_count) {
      snprintf(error, E3SM_MAP_ERROR_BYTES,
               "%s: %s: rank %" PRId64 " has %" PRId64 " runs; allowed: 0 to %" PRId64, path, d->name, r,
               d->counts[r], d->run_count);
      return -1;
    }
    sum += d->counts[r];
  }
  if (sum != d->run_count) {
    snprintf(error, E3SM_MAP_ERROR_BYTES,
             "%s: %s: the ranks' runs add up to %" PRId64 ", the head says %" PRId64, path, d->name, sum,
             d->run_count);
    return -1;
  }
  return 0;
}

static int check_all(const char* path, e3sm_map* map, char* error) {
  const size_t counts_at = HEAD_BYTES + (size_t)map->decomposition_count * RECORD_BYTES;
  size_t at = counts_at + 8 * (size_t)(map->ranks * map->decomposition_count);
  if (map->memory_bytes < at) {
    snprintf(error, E3SM_MAP_ERROR_BYTES, "%s: has %zu bytes, its head needs %zu: truncated", path,
             map->memory_bytes, at);
    return -1;
  }
  map->decompositions = calloc((size_t)map->decomposition_count, sizeof *map->decompositions);
  if (map->decompositions == NULL) {
    snprintf(error, E3SM_MAP_ERROR_BYTES, "%s: no memory for %" PRId64 " decompositions", path,
             map->decomposition_count);
    return -1;
  }
  for (int64_t k = 0; k < map->decomposition_count; ++k) {
    e3sm_decomposition* d = &map->decompositions[k];
    d->counts = (const int64_t*)((const char*)map->memory + counts_at) + k * map->ranks;
    if (check_decomposition(path, map, k, error) != 0) return -1;
    d->runs = (const e3sm_run*)((const char*)map->memory + at);
    at += sizeof(e3sm_run) * (size_t)d->run_count;
  }
  if (map->memory_bytes != at) {
    snprintf(error, E3SM_MAP_ERROR_BYTES, "%s: has %zu bytes, its head describes %zu: truncated or corrupt",
             path, map->memory_bytes, at);
    return -1;
  }
  return 0;
}

int e3sm_map_open(const char* path, e3sm_map* map, char error[E3SM_MAP_ERROR_BYTES]) {
  memset(map, 0, sizeof *map);
  if (map_file(path, map, error) == 0 && check_head(path, map, error) == 0 &&
      check_all(path, map, error) == 0)
    return 0;
  e3sm_map_close(map);
  return -1;
}

int e3sm_map_rank(const e3sm_map* map, int64_t decomposition, int64_t rank, e3sm_runs* runs,
                  char error[E3SM_MAP_ERROR_BYTES]) {
  if (decomposition < 0 || decomposition >= map->decomposition_count || rank < 0 || rank >= map->ranks) {
    snprintf(error, E3SM_MAP_ERROR_BYTES,
             "decomposition %" PRId64 " of rank %" PRId64 " asked for; the map has %" PRId64
             " decompositions for %" PRId64 " ranks",
             decomposition, rank, map->decomposition_count, map->ranks);
    return -1;
  }
  const e3sm_decomposition* d = &map->decompositions[decomposition];
  const e3sm_run* first = d->runs;
  for (int64_t r = 0; r < rank; ++r) first += d->counts[r];
  int64_t end = 0;
  for (int64_t k = 0; k < d->counts[rank]; ++k) {
    if (first[k].offset < end || first[k].length < 1 || first[k].length > d->elements ||
        first[k].offset > d->elements - first[k].length) {
      snprintf(error, E3SM_MAP_ERROR_BYTES,
               "%s: run %" PRId64 " of rank %" PRId64 " has offset %" PRId64 " and length %" PRId64
               "; allowed: from %" PRId64 " on, length 1 or more, ending by %" PRId64,
               d->name, k, rank, first[k].offset, first[k].length, end, d->elements);
      return -1;
    }
    end = first[k].offset + first[k].length;
  }
  runs->first = first;
  runs->count = d->counts[rank];
  return 0;
}

void e3sm_map_close(e3sm_map* map) {
  free(map->decompositions);
  if (map->memory != NULL) munmap(map->memory, map->memory_bytes);
  memset(map, 0, sizeof *map);
}
