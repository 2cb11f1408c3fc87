/* A checkpoint of an atmosphere model, as a scientist would write it: plain MPI-IO, nothing to tune.
 *
 * Every rank owns scattered columns of the grid (a map file says which). The file starts with a text header;
 * the variables follow one behind the other, each a full global array. For each variable: set a view that
 * shows this rank's elements, then one collective call. Usage and output are described in ../README.md. */
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "e3sm_map.h"

enum { HEADER_BYTES = 512, MAX_DECOMPOSITIONS = 16 };

typedef struct settings {
  const char* map_path;
  const char* file_path;
  int write, read;
  int element_bytes;
  int variables_given;
  int64_t variables[MAX_DECOMPOSITIONS]; /* of each decomposition */
  MPI_Info info;
} settings;

typedef struct phase {
  double open_s, data_s, close_s;
  int64_t bytes, pieces;
  int64_t wrong; /* values read that are not what was written */
} phase;

/* This rank's part of one decomposition: the filetype over its elements and room for its values. */
typedef struct part {
  MPI_Datatype filetype;
  e3sm_runs runs;
  int64_t elements; /* of this rank */
} part;

/* Everything about the variables of one file. */
typedef struct checkpoint {
  settings set;
  e3sm_map map;
  part parts[MAX_DECOMPOSITIONS];
  unsigned char* values; /* this rank's, variable after variable */
  size_t value_bytes;
} checkpoint;

static int world_rank, world_size;

static void stop(int status, const char* what, const char* why) {
  fprintf(stderr, "e3sm_checkpoint: rank %d: %s: %s\n", world_rank, what, why);
  MPI_Abort(MPI_COMM_WORLD, status);
}

/* For what all ranks see alike: one message, an orderly end. */
static void refuse(const char* what, const char* why) {
  if (world_rank == 0) fprintf(stderr, "e3sm_checkpoint: %s: %s\n", what, why);
  MPI_Finalize();
  exit(2);
}

static void check(const char* what, int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (code == MPI_SUCCESS) return;
  MPI_Error_string(code, text, &length);
  stop(1, what, text);
}

static void* allocate(size_t bytes) {
  void* memory = malloc(bytes > 0 ? bytes : 1);
  if (memory == NULL) stop(1, "malloc", "out of memory");
  return memory;
}

/* The value of element `index` of variable `number`: any function that tells elements and variables apart. */
static uint64_t value_of(int64_t number, int64_t index) {
  uint64_t bits = ((uint64_t)number << 40) + (uint64_t)index + 1;
  bits *= UINT64_C(0x9E3779B97F4A7C15);
  return bits ^ (bits >> 29) ^ (bits << 17);
}

static void put_values(const settings* set, const part* mine, int64_t number, unsigned char* buffer) {
  for (int64_t k = 0; k < mine->runs.count; ++k)
    for (int64_t i = 0; i < mine->runs.first[k].length; ++i, buffer += set->element_bytes) {
      const uint64_t value = value_of(number, mine->runs.first[k].offset + i);
      memcpy(buffer, &value, (size_t)set->element_bytes);
    }
}

static int64_t count_wrong(const settings* set, const part* mine, int64_t number,
                           const unsigned char* buffer) {
  int64_t wrong = 0;
  for (int64_t k = 0; k < mine->runs.count; ++k)
    for (int64_t i = 0; i < mine->runs.first[k].length; ++i, buffer += set->element_bytes) {
      const uint64_t value = value_of(number, mine->runs.first[k].offset + i);
      wrong += memcmp(buffer, &value, (size_t)set->element_bytes) != 0;
    }
  return wrong;
}

static part make_part(const settings* set, const e3sm_map* map, int64_t decomposition) {
  part mine = {MPI_BYTE, {NULL, 0}, 0};
  char error[E3SM_MAP_ERROR_BYTES];
  if (e3sm_map_rank(map, decomposition, world_rank, &mine.runs, error) != 0) stop(2, set->map_path, error);
  int* lengths = allocate((size_t)mine.runs.count * sizeof *lengths);
  MPI_Aint* places = allocate((size_t)mine.runs.count * sizeof *places);
  for (int64_t k = 0; k < mine.runs.count; ++k) {
    if (mine.runs.first[k].length > 0x7fffffff) stop(2, set->map_path, "a run of 2^31 elements or more");
    lengths[k] = (int)mine.runs.first[k].length;
    places[k] = (MPI_Aint)(mine.runs.first[k].offset * set->element_bytes);
    mine.elements += mine.runs.first[k].length;
  }
  const MPI_Datatype element = set->element_bytes == 8 ? MPI_DOUBLE : MPI_FLOAT;
  if (mine.runs.count > 0)
    check("MPI_Type_create_hindexed",
          MPI_Type_create_hindexed((int)mine.runs.count, lengths, places, element, &mine.filetype));
  else
    check("MPI_Type_contiguous", MPI_Type_contiguous(1, element, &mine.filetype));
  check("MPI_Type_commit", MPI_Type_commit(&mine.filetype));
  if (mine.elements > 0x7fffffff) stop(2, set->map_path, "2^31 elements or more on one rank");
  free(places);
  free(lengths);
  return mine;
}

static int64_t variable_total(const checkpoint* point) {
  int64_t total = 0;
  for (int64_t d = 0; d < point->map.decomposition_count; ++d) total += point->set.variables[d];
  return total;
}

static int64_t file_bytes(const checkpoint* point) {
  int64_t bytes = HEADER_BYTES;
  for (int64_t d = 0; d < point->map.decomposition_count; ++d)
    bytes += point->set.variables[d] * point->map.decompositions[d].elements * point->set.element_bytes;
  return bytes;
}

static void write_header(const checkpoint* point, MPI_File file) {
  char header[HEADER_BYTES];
  memset(header, ' ', sizeof header);
  if (world_rank != 0) return;
  int used = snprintf(header, sizeof header, "atmosphere checkpoint: %d-byte elements, header of %d bytes;",
                      point->set.element_bytes, HEADER_BYTES);
  for (int64_t d = 0; d < point->map.decomposition_count && used < HEADER_BYTES; ++d)
    used += snprintf(header + used, sizeof header - (size_t)used,
                     " %" PRId64 " variables of %" PRId64 " elements (%s)", point->set.variables[d],
                     point->map.decompositions[d].elements, point->map.decompositions[d].name);
  if (used < HEADER_BYTES) header[used] = ' ';
  header[HEADER_BYTES - 1] = '\n';
  check("MPI_File_write_at", MPI_File_write_at(file, 0, header, HEADER_BYTES, MPI_CHAR, MPI_STATUS_IGNORE));
}

/* One collective call per variable. */
static void move_variables(const checkpoint* point, MPI_File file, int writing, phase* result) {
  const MPI_Datatype element = point->set.element_bytes == 8 ? MPI_DOUBLE : MPI_FLOAT;
  MPI_Offset displacement = HEADER_BYTES;
  unsigned char* buffer = point->values;
  for (int64_t d = 0; d < point->map.decomposition_count; ++d)
    for (int64_t v = 0; v < point->set.variables[d]; ++v) {
      const int count = (int)point->parts[d].elements;
      check("MPI_File_set_view", MPI_File_set_view(file, displacement, element, point->parts[d].filetype,
                                                   "native", MPI_INFO_NULL));
      if (writing)
        check("MPI_File_write_all", MPI_File_write_all(file, buffer, count, element, MPI_STATUS_IGNORE));
      else
        check("MPI_File_read_all", MPI_File_read_all(file, buffer, count, element, MPI_STATUS_IGNORE));
      buffer += point->parts[d].elements * point->set.element_bytes;
      result->bytes += point->parts[d].elements * point->set.element_bytes;
      result->pieces += point->parts[d].runs.count;
      displacement += (MPI_Offset)(point->map.decompositions[d].elements * point->set.element_bytes);
    }
}

/* All values of this rank, variable after variable; or how many of them are wrong. */
static int64_t each_value(const checkpoint* point, int writing) {
  int64_t number = 0, wrong = 0;
  unsigned char* buffer = point->values;
  for (int64_t d = 0; d < point->map.decomposition_count; ++d)
    for (int64_t v = 0; v < point->set.variables[d]; ++v, ++number) {
      if (writing)
        put_values(&point->set, &point->parts[d], number, buffer);
      else
        wrong += count_wrong(&point->set, &point->parts[d], number, buffer);
      buffer += point->parts[d].elements * point->set.element_bytes;
    }
  return wrong;
}

/* The same clock on all ranks of a machine. */
static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* From the earliest rank's begin to the latest one's end: the longest of all machines. */
static double span_of(double begin, double end) {
  double ends[2] = {-begin, end};
  MPI_Comm machine;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_DOUBLE, MPI_MAX, machine);
  MPI_Comm_free(&machine);
  return ends[0] + ends[1];
}

static phase run_phase(const checkpoint* point, int writing) {
  phase result = {0};
  MPI_File file;
  MPI_Barrier(MPI_COMM_WORLD);
  double start = now_s();
  /* Not WRONLY: where the map leaves holes, some MPI libraries then fill them with leftover memory. */
  const int mode = writing ? MPI_MODE_CREATE | MPI_MODE_RDWR : MPI_MODE_RDONLY;
  check(point->set.file_path,
        MPI_File_open(MPI_COMM_WORLD, point->set.file_path, mode, point->set.info, &file));
  if (writing) write_header(point, file);
  result.open_s = now_s() - start;

  MPI_Barrier(MPI_COMM_WORLD);
  start = now_s();
  move_variables(point, file, writing, &result);
  result.data_s = span_of(start, now_s());

  MPI_Barrier(MPI_COMM_WORLD);
  start = now_s();
  check("MPI_File_close", MPI_File_close(&file));
  result.close_s = now_s() - start;
  return result;
}

/* Slowest rank's seconds, sums of the rest, one line on rank 0. Returns whether all values were right. */
static int report(const checkpoint* point, int writing, const phase* mine) {
  double seconds[3] = {mine->open_s, mine->data_s, mine->close_s};
  int64_t sums[3] = {mine->bytes, mine->pieces, mine->wrong};
  MPI_Allreduce(MPI_IN_PLACE, seconds, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (world_rank == 0) {
    printf(
        "{\"program\": \"e3sm_checkpoint\", \"phase\": \"%s\", \"ranks\": %d, \"seconds\": %.9g, \"open_s\": "
        "%.9g, \"close_s\": %.9g, "
        "\"bytes\": %" PRId64 ", \"pieces\": %" PRId64 ", \"variables\": %" PRId64
        ", \"file_bytes\": %" PRId64 ", \"verified\": %s}\n",
        writing ? "write" : "read", world_size, seconds[1], seconds[0], seconds[2], sums[0], sums[1],
        variable_total(point), file_bytes(point),
        writing        ? "null"
        : sums[2] == 0 ? "true"
                       : "false");
    fflush(stdout);
    if (sums[2] != 0)
      fprintf(stderr, "e3sm_checkpoint: %" PRId64 " values read are not what was written\n", sums[2]);
  }
  return sums[2] == 0;
}

static void add_hint(settings* set, char* text) {
  char* equals = strchr(text, '=');
  if (equals == NULL || equals == text || equals[1] == '\0') refuse(text, "allowed: --hint key=value");
  *equals = '\0';
  if (set->info == MPI_INFO_NULL) MPI_Info_create(&set->info);
  MPI_Info_set(set->info, text, equals + 1);
}

static void read_variables(settings* set, const char* text) {
  char* end = NULL;
  for (const char* at = text; set->variables_given < MAX_DECOMPOSITIONS; at = end + 1) {
    const long long value = strtoll(at, &end, 10);
    if (end == at || value < 0 || value > 10000 || (*end != ',' && *end != '\0'))
      refuse(text, "allowed for --variables: whole numbers from 0 to 10000, commas between them");
    set->variables[set->variables_given++] = value;
    if (*end == '\0') return;
  }
  refuse(text, "allowed for --variables: at most 16 numbers");
}

static settings read_arguments(int argc, char** argv) {
  settings set = {.write = 1, .read = 1, .element_bytes = 4, .info = MPI_INFO_NULL};
  for (int i = 1; i < argc; i += 2) {
    char* value = i + 1 < argc ? argv[i + 1] : NULL;
    if (value == NULL) refuse(argv[i], "a value is missing behind it");
    if (strcmp(argv[i], "--map-binary") == 0)
      set.map_path = value;
    else if (strcmp(argv[i], "--file") == 0)
      set.file_path = value;
    else if (strcmp(argv[i], "--hint") == 0)
      add_hint(&set, value);
    else if (strcmp(argv[i], "--variables") == 0)
      read_variables(&set, value);
    else if (strcmp(argv[i], "--element-size") == 0 && (strcmp(value, "4") == 0 || strcmp(value, "8") == 0))
      set.element_bytes = atoi(value);
    else if (strcmp(argv[i], "--operation") == 0 && strstr("write,read", value) != NULL &&
             strlen(value) >= 4) {
      set.write = strstr(value, "write") != NULL;
      set.read = strstr(value, "read") != NULL;
    } else
      refuse(argv[i],
             "unknown option or bad value; allowed: --map-binary FILE --file PATH --operation "
             "write|read|write,read "
             "--element-size 4|8 --variables K1,K2,... --hint key=value");
  }
  if (set.map_path == NULL || set.file_path == NULL)
    refuse("arguments", "--map-binary FILE and --file PATH are needed");
  return set;
}

/* Open the map and settle how many variables of each decomposition there are. */
static void open_map(checkpoint* point) {
  settings* set = &point->set;
  char error[E3SM_MAP_ERROR_BYTES];
  if (e3sm_map_open(set->map_path, &point->map, error) != 0) refuse("map", error);
  const int64_t have = point->map.decomposition_count;
  if (point->map.ranks != world_size || have > MAX_DECOMPOSITIONS || set->variables_given > have) {
    snprintf(error, sizeof error,
             "is for %" PRId64 " ranks and has %" PRId64
             " decompositions; %d ranks are running, --variables has %d values",
             point->map.ranks, have, world_size, set->variables_given);
    refuse(set->map_path, error);
  }
  for (int64_t d = 0; set->variables_given == 0 && d < have; ++d)
    set->variables[d] = point->map.decompositions[d].ndims == 1 ? 2 : 4;
}

static checkpoint make_checkpoint(int argc, char** argv) {
  checkpoint point;
  memset(&point, 0, sizeof point);
  point.set = read_arguments(argc, argv);
  open_map(&point);
  for (int64_t d = 0; d < point.map.decomposition_count; ++d) {
    point.parts[d] = make_part(&point.set, &point.map, d);
    point.value_bytes += (size_t)(point.set.variables[d] * point.parts[d].elements * point.set.element_bytes);
  }
  point.values = allocate(point.value_bytes);
  return point;
}

static void free_checkpoint(checkpoint* point) {
  free(point->values);
  for (int64_t d = 0; d < point->map.decomposition_count; ++d) MPI_Type_free(&point->parts[d].filetype);
  if (point->set.info != MPI_INFO_NULL) MPI_Info_free(&point->set.info);
  e3sm_map_close(&point->map);
}

static int write_phase(const checkpoint* point) {
  each_value(point, 1);
  const phase written = run_phase(point, 1);
  return report(point, 1, &written);
}

static int read_phase(const checkpoint* point) {
  phase back = run_phase(point, 0);
  back.wrong = each_value(point, 0);
  return report(point, 0, &back);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  checkpoint point = make_checkpoint(argc, argv);
  int good = 1;
  if (point.set.write) good &= write_phase(&point);
  if (point.set.read) {
    memset(point.values, 0, point.value_bytes);
    good &= read_phase(&point);
  }
  free_checkpoint(&point);
  MPI_Finalize();
  return good ? 0 : 1;
}
