/* Dice of all ranks and of one, and parts of a variable that they choose. */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdint.h>
#include <string.h>

enum {
  most_dims = 4,
  most_vars = 8,
  most_requests = 64,
  most_elements = 4096,
  most_parts = 64,
  last_put = 5 /* records at most */
};

static int rank, ranks;

/* ---- dice: those of all ranks, and a rank's own ---- */

static uint64_t shared_state, own_state;
/* A rank goes its own way, in independent mode: shared() is then its own, too. */
static int alone;

static uint32_t roll(uint64_t* state, uint32_t below) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((*state >> 33) % below);
}
static uint32_t shared(uint32_t below) { return roll(alone ? &own_state : &shared_state, below); }
static uint32_t own(uint32_t below) { return roll(&own_state, below); }

/* ---- variables ---- */

struct variable {
  int id, type, dims, records;
  MPI_Offset shape[most_dims];
  int pending;            /* a put of a variable without records is not waited for */
  int getting;            /* nor is a get; of two of the same bytes PnetCDF 1.12 reads one */
  int written;            /* as a whole */
  MPI_Offset next_record; /* behind those that were put */
  MPI_Offset done;        /* behind those that are in the file */
};

/* ---- parts of a variable: each rank's own ---- */

struct part {
  int form; /* 0 to 5, as in pnetcdf_functions.h */
  MPI_Offset start[most_dims], count[most_dims], stride[most_dims], imap[most_dims];
  int parts;
  MPI_Offset lists[2][most_parts][most_dims];
  MPI_Offset *starts[most_parts], *counts[most_parts];
  MPI_Offset elements, span; /* and in memory */
  int no_stride, no_map;     /* null pointers instead */
  int some_empty;            /* of a rank */
};

/* This rank's share of `length`, which no other rank has. */
static void own_share(MPI_Offset length, MPI_Offset* start, MPI_Offset* count) {
  *start = length * rank / ranks;
  *count = length * (rank + 1) / ranks - *start;
}

/* PnetCDF 1.12 reads other records than asked for where a stride is one of records, and memory of its own
   into gaps of a map. 1.15 writes other records where a stride is one of records, and never returns from a
   wait for which some ranks have nothing. */
static int reading;
enum { version_15 = PNETCDF_VERSION_MINOR >= 15 };

/* Records from `base` on: of a put new ones. */
static void choose_part(const struct variable* v, MPI_Offset base, MPI_Offset many, struct part* part) {
  memset(part, 0, sizeof *part);
  part->form = 1 + (int)shared(5);
  if (v->dims == 0) part->form = 1 + (int)shared(4); /* all ranks put the same number */
  for (int d = 0; d < v->dims; ++d) {
    part->start[d] = d == 0 && v->records ? base : 0;
    part->count[d] = d == 0 && v->records ? many : v->shape[d];
    part->stride[d] = 1;
  }
  if (v->dims > 0) { /* one dimension is shared out; a rank that goes its own way has records to itself */
    const int cut = alone ? 0 : (int)shared((uint32_t)v->dims);
    MPI_Offset start = 0, count = part->count[cut];
    const int cuts = !alone || !v->records;
    part->some_empty = cuts && count < ranks;
    if (cuts) own_share(count, &start, &count);
    part->start[cut] += start;
    part->count[cut] = count;
    if (count == 0 && cut > 0) part->start[cut] = 0;
    const int wide = (int)shared((uint32_t)v->dims);
    const int by_record = wide == 0 && v->records;
    part->no_stride = (part->form == 3 || part->form == 4) && shared(4) == 0;
    if ((part->form == 3 || part->form == 4) && !part->no_stride && part->count[wide] > 1 &&
        !(by_record && (reading || version_15))) {
      part->stride[wide] = 2;
      part->count[wide] = (part->count[wide] + 1) / 2;
    }
  }
  if (part->form == 1 && part->some_empty) part->form = 2;
  part->elements = 1;
  for (int d = 0; d < v->dims; ++d) {
    if (part->form == 1) part->count[d] = 1;
    part->elements *= part->count[d];
  }
  part->span = part->elements;
  part->no_map = part->form == 4 && shared(6) == 0;
  if (part->form == 4 &&
      !part->no_map) { /* the dimensions in memory the other way round, with gaps between elements */
    MPI_Offset step = 1 + shared(2);
    if (reading) step = 1;
    const int turned = (int)shared(2);
    for (int i = 0; i < v->dims; ++i) {
      const int d = turned ? i : v->dims - 1 - i;
      part->imap[d] = step;
      step *= part->count[d] > 0 ? part->count[d] : 1;
    }
    part->span = step > 0 ? step : 1;
  }
  if (part->form != 5) return;
  /* Rows, and two parts without elements: PnetCDF 1.15 never returns where some ranks have one part and
   * others none. */
  const MPI_Offset rows = part->elements == 0 ? 0 : part->count[0];
  const MPI_Offset in_row = rows ? part->elements / rows : 0;
  for (MPI_Offset row = -2; row < rows && part->parts < most_parts; ++row) {
    MPI_Offset* start = part->lists[0][part->parts];
    MPI_Offset* count = part->lists[1][part->parts];
    if (row >= 0) {
      memcpy(start, part->start, sizeof part->start);
      memcpy(count, part->count, sizeof part->count);
      start[0] += row;
      count[0] = 1;
    }
    part->starts[part->parts] = start;
    part->counts[part->parts++] = count;
  }
  part->elements = in_row * (part->parts - 2);
  part->span = part->elements;
}
