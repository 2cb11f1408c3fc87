/* The file of a random program of PnetCDF, and one call that moves data of it. */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pnetcdf_functions.h"
#include "pnetcdf_parts.h"

static FILE* log_file;

/* ---- the program's file ---- */

static struct program {
  int ncid, format, sharing, defining, independent, dims, dimids[most_dims], unlimited;
  MPI_Offset lengths[most_dims];
  int vars;
  struct variable var[most_vars];
  int rounds; /* of posts, by any rank */
  int posted, ids[most_requests];
  void* buffers[most_requests];
  size_t buffer_bytes[most_requests];
  int record_puts[most_requests];
  int attached, made, posted_gets;
} p;

static void note(const char* what, long long value) { fprintf(log_file, "%s %lld\n", what, value); }

static void note_bytes(const char* what, const void* data, size_t bytes) {
  uint64_t sum = 14695981039346656037u;
  for (size_t i = 0; i < bytes; ++i) sum = (sum ^ ((const unsigned char*)data)[i]) * 1099511628211u;
  fprintf(log_file, "%s %016llx\n", what, (unsigned long long)sum);
}

static void define_variable(void) {
  char name[16];
  if (p.vars == most_vars) return;
  struct variable* v = &p.var[p.vars];
  memset(v, 0, sizeof *v);
  int dimids[most_dims];
  v->type = 1 + (int)shared(p.format == 5 ? 11 : 6);
  v->records = p.unlimited >= 0 && shared(2);
  if (v->records) dimids[v->dims++] = p.unlimited;
  const int more = (int)shared(3);
  for (int d = 0; d < more; ++d) {
    const int which = (int)shared((uint32_t)p.dims);
    v->shape[v->dims] = p.lengths[which];
    dimids[v->dims++] = p.dimids[which];
  }
  snprintf(name, sizeof name, "v%d", p.made++);
  note("def_var", ncmpi_def_var(p.ncid, name, v->type, v->dims, dimids, &v->id));
  const int filled = (int)shared(8);
  if (filled == 0 || (filled < 3 && v->type == NC_INT)) {
    const int fill = 77;
    note("fill", ncmpi_def_var_fill(p.ncid, v->id, 0, filled ? &fill : NULL));
  }
  ++p.vars;
}

static void make_file(const char* path) {
  static const int modes[] = {0, NC_64BIT_OFFSET, NC_64BIT_DATA};
  static const int formats[] = {1, 2, 5};
  const uint32_t which = shared(3);
  p.format = formats[which];
  p.defining = 1;
  p.sharing = shared(5) == 0;
  const int mode = NC_CLOBBER | modes[which] | (p.sharing ? NC_SHARE : 0);
  note("create", ncmpi_create(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, &p.ncid));
  p.dims = 1 + (int)shared(3);
  for (int d = 0; d < p.dims; ++d) {
    char name[16];
    snprintf(name, sizeof name, "d%d", d);
    p.lengths[d] = 1 + shared(9);
    ncmpi_def_dim(p.ncid, name, p.lengths[d], &p.dimids[d]);
  }
  p.unlimited = -1;
  if (shared(10) < 7) ncmpi_def_dim(p.ncid, "time", NC_UNLIMITED, &p.unlimited);
  if (shared(3) == 0) note("set_fill", ncmpi_set_fill(p.ncid, NC_FILL, NULL));
  const int vars = 1 + (int)shared(5);
  for (int i = 0; i < vars; ++i) define_variable();
}

/* ---- data ---- */

/* `alike`: on all ranks. */
static void fill_buffer(int type, void* buffer, MPI_Offset span, int wild, int alike) {
  for (MPI_Offset i = 0; i < span; ++i) {
    double value = alike ? 42 : (double)own(100);
    if (wild && !alike && own(8) == 0) value = own(2) ? 40000.0 + own(100000) : -300.0 - own(70000);
    switch (type) {
#define PUT(nc, c)                                                    \
  case nc:                                                            \
    ((c*)buffer)[i] = (c)(value < 0 && (c) - 1 > 0 ? -value : value); \
    break;
      PUT(NC_BYTE, signed char)
      PUT(NC_CHAR, char)
      PUT(NC_SHORT, short)
      PUT(NC_INT, int)
      PUT(NC_FLOAT, float)
      PUT(NC_DOUBLE, double)
      PUT(NC_UBYTE, unsigned char)
      PUT(NC_USHORT, unsigned short)
      PUT(NC_UINT, unsigned)
      PUT(NC_INT64, long long)
      PUT(NC_UINT64, unsigned long long)
    }
  }
}

/* A type in memory that fits the variable's; mostly the same. */
static int memory_type(const struct variable* v) {
  static const int numbers[] = {NC_BYTE,  NC_SHORT,  NC_INT,  NC_FLOAT, NC_DOUBLE,
                                NC_UBYTE, NC_USHORT, NC_UINT, NC_INT64, NC_UINT64};
  if (v->type == NC_CHAR || shared(3)) return v->type;
  return numbers[shared(10)];
}

/* A type with gaps between elements. */
static MPI_Datatype type_with_gaps(int type, MPI_Offset elements, MPI_Offset* count) {
  MPI_Datatype made;
  switch (shared(3)) {
    case 0:
      MPI_Type_vector((int)elements, 1, 3, mpi_type(type), &made);
      *count = 1;
      break;
    case 1:
      MPI_Type_create_resized(mpi_type(type), 0, (MPI_Aint)(3 * type_bytes(type)), &made);
      *count = elements;
      break;
    default: {
      MPI_Datatype one;
      const int length = 1, offset = 1;
      MPI_Type_indexed(1, &length, &offset, mpi_type(type), &one);
      MPI_Type_create_hvector((int)elements, 1, (MPI_Aint)(3 * type_bytes(type)), one, &made);
      MPI_Type_free(&one);
      *count = 1;
    }
  }
  MPI_Type_commit(&made);
  return made;
}

/* way: as in data_function(). */
static void call(struct variable* v, struct part* part, int reads, int way) {
  /* Where requests are pending, PnetCDF may forget them, or the records of the call. */
  if ((way == 0 || way == 3) && part->form == 5 && p.rounds + p.posted > 0) return;
  const int type = memory_type(v);
  const int flexible = shared(4) == 0;
  const int gaps = flexible && shared(2) && part->form != 4;
  const size_t size = type_bytes(type);
  const MPI_Offset span = gaps ? 3 * part->span + 1 : part->span;
  void* buffer = malloc((size_t)span * size + 8);
  memset(buffer, 0x5a, (size_t)span * size + 8);
  const int alike = v->dims == 0 || part->form == 0;
  /* Of a list with numbers out of range PnetCDF leaves a request in independent mode. */
  const int wild = shared(6) == 0 && !(way == 3 && part->form == 5);
  if (!reads) fill_buffer(type, buffer, span, wild, alike);
  MPI_Datatype in_memory = mpi_type(type);
  MPI_Offset count = part->form == 4 ? -1 : part->elements;
  if (gaps) in_memory = type_with_gaps(type, part->elements, &count);
  int id = NC_REQ_NULL;
  const struct buffer given = {buffer, flexible ? count : -1, in_memory, flexible ? 0 : type, &id};
  const struct place place = {p.ncid,
                              v->id,
                              part->form,
                              part->start,
                              part->count,
                              part->no_stride ? NULL : part->stride,
                              part->no_map ? NULL : part->imap,
                              part->parts,
                              part->starts,
                              part->counts};
  fprintf(log_file, "%s form %d of variable %d, type %d, memory %d:", way % 3 ? "post" : "move", part->form,
          v->id, v->type, flexible ? -type : type);
  for (int d = 0; d < v->dims; ++d)
    fprintf(log_file, " %lld+%lldx%lld", (long long)part->start[d], (long long)part->count[d],
            (long long)part->stride[d]);
  fprintf(log_file, "\n");
  /* Of ranks that post nothing the others do not know. */
  const int skips = !version_15 && !alone && way % 3 && shared(3) == 0 && own(3) == 0;
  if (!skips) note(reads ? "get" : way == 2 ? "bput" : "put", data_function(reads, way, &place, &given));
  if (gaps) MPI_Type_free(&in_memory);
  if (way % 3 == 0) {
    if (reads) note_bytes("read", buffer, (size_t)span * size);
    free(buffer);
    return;
  }
  p.rounds += !alone;
  p.posted_gets += reads;
  if (!skips) note("request", id);
  if (id == NC_REQ_NULL) return free(buffer); /* PnetCDF waits for all where as many are named as there are */
  if (way == 2) memset(buffer, 0x11, (size_t)span * size); /* a buffered put has its own */
  p.ids[p.posted] = id;
  p.record_puts[p.posted] = v->records && !reads;
  p.buffers[p.posted] = buffer;
  p.buffer_bytes[p.posted++] = reads ? (size_t)span * size : 0;
}

static MPI_Offset records(void) {
  MPI_Offset length = 0;
  if (p.unlimited >= 0) ncmpi_inq_dimlen(p.ncid, p.unlimited, &length);
  return length;
}

/* `count` of them, which are waited for or cancelled. */
static void forget_requests(int first, int count) {
  for (int i = first; i < first + count; ++i) {
    if (p.buffer_bytes[i]) note_bytes("waited", p.buffers[i], p.buffer_bytes[i]);
    free(p.buffers[i]);
  }
  p.posted -= count;
  for (int i = first; i < p.posted; ++i) {
    p.ids[i] = p.ids[i + count];
    p.buffers[i] = p.buffers[i + count];
    p.record_puts[i] = p.record_puts[i + count];
    p.buffer_bytes[i] = p.buffer_bytes[i + count];
  }
}

/* PnetCDF 1.12 may give one request's error to another. */
static void note_statuses(int first, int count, const int* statuses) {
  int worst = 0;
  for (int i = 0; i < count; ++i) {
    if (statuses[i] < worst) worst = statuses[i];
    note("id", p.ids[first + i]);
  }
  note("status", worst);
  int left = 0;
  note("nreqs", (ncmpi_inq_nreqs(p.ncid, &left), left));
}

static void end_requests(void) {
  forget_requests(0, p.posted);
  p.rounds = p.posted_gets = 0;
  for (int i = 0; i < p.vars; ++i) {
    p.var[i].pending = p.var[i].getting = 0;
    p.var[i].done = p.var[i].next_record;
  }
}
