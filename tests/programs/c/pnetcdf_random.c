/* Random programs of PnetCDF: definitions, all forms of its data functions, types, records, waits for
 * some and for all, definitions in between, wrong calls. What a program does follows from its seed and the
 * number of ranks, so two libraries make the same files and the same log: codes, numbers of requests and
 * records, and what was read.
 *
 *     pnetcdf_random FOLDER FIRST_SEED COUNT
 *
 * Writes FOLDER/SEED.nc and FOLDER/RANK.log.
 */
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
  int ncid, format, defining, independent, dims, dimids[most_dims], unlimited;
  MPI_Offset lengths[most_dims];
  int vars;
  struct variable var[most_vars];
  int posted, ids[most_requests];
  void* buffers[most_requests];
  size_t buffer_bytes[most_requests];
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
  if (shared(4) == 0 && v->type != NC_CHAR && v->type == NC_INT) {
    const int fill = 77;
    note("fill", ncmpi_def_var_fill(p.ncid, v->id, 0, &fill));
  }
  ++p.vars;
}

static void make_file(const char* path) {
  static const int modes[] = {0, NC_64BIT_OFFSET, NC_64BIT_DATA};
  static const int formats[] = {1, 2, 5};
  const uint32_t which = shared(3);
  p.format = formats[which];
  p.defining = 1;
  note("create", ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER | modes[which], MPI_INFO_NULL, &p.ncid));
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

/* way: 0 blocking, 1 nonblocking, 2 buffered. */
static void call(struct variable* v, struct part* part, int reads, int way) {
  /* Where requests are pending, PnetCDF may forget them, or the records of the call. */
  if (way == 0 && part->form == 5 && p.posted > 0) return;
  const int type = memory_type(v);
  const int flexible = shared(4) == 0;
  const int gaps = flexible && shared(2) && part->form != 4;
  const size_t size = type_bytes(type);
  const MPI_Offset span = gaps ? 3 * part->span + 1 : part->span;
  void* buffer = malloc((size_t)span * size + 8);
  memset(buffer, 0x5a, (size_t)span * size + 8);
  if (!reads) fill_buffer(type, buffer, span, shared(6) == 0, v->dims == 0);
  MPI_Datatype in_memory = mpi_type(type);
  MPI_Offset count = part->form == 4 ? -1 : part->elements;
  if (gaps) { /* every third element */
    MPI_Type_vector((int)part->elements, 1, 3, mpi_type(type), &in_memory);
    MPI_Type_commit(&in_memory);
    count = 1;
  }
  int id = NC_REQ_NULL;
  const struct buffer given = {buffer, flexible ? count : -1, in_memory, flexible ? 0 : type,
                               way == 0 ? NULL : &id};
  const struct place place = {p.ncid,       v->id,      part->form,  part->start,  part->count,
                              part->stride, part->imap, part->parts, part->starts, part->counts};
  fprintf(log_file, "%s form %d of variable %d, type %d, memory %d:", way ? "post" : "move", part->form,
          v->id, v->type, flexible ? -type : type);
  for (int d = 0; d < v->dims; ++d)
    fprintf(log_file, " %lld+%lldx%lld", (long long)part->start[d], (long long)part->count[d],
            (long long)part->stride[d]);
  fprintf(log_file, "\n");
  note(reads ? "get" : way == 2 ? "bput" : "put", data_function(reads, way, &place, &given));
  if (gaps) MPI_Type_free(&in_memory);
  if (way == 0) {
    if (reads) note_bytes("read", buffer, (size_t)span * size);
    free(buffer);
    return;
  }
  note("request", id);
  if (way == 2) memset(buffer, 0x11, (size_t)span * size); /* a buffered put has its own */
  p.posted_gets += reads;
  p.ids[p.posted] = id;
  p.buffers[p.posted] = buffer;
  p.buffer_bytes[p.posted++] = reads ? (size_t)span * size : 0;
}

static MPI_Offset records(void) {
  MPI_Offset length = 0;
  if (p.unlimited >= 0) ncmpi_inq_dimlen(p.ncid, p.unlimited, &length);
  return length;
}

static void end_requests(void) {
  for (int i = 0; i < p.posted; ++i) {
    if (p.buffer_bytes[i]) note_bytes("waited", p.buffers[i], p.buffer_bytes[i]);
    free(p.buffers[i]);
  }
  p.posted = p.posted_gets = 0;
  for (int i = 0; i < p.vars; ++i) {
    p.var[i].pending = p.var[i].getting = 0;
    p.var[i].done = p.var[i].next_record;
  }
}

static void wait_for_all(void) {
  int statuses[most_requests];
  const int how = (int)shared(3);
  if (p.independent || how == 1) {
    note("wait", (p.independent ? ncmpi_wait : ncmpi_wait_all)(p.ncid, p.posted, p.ids, statuses));
    for (int i = 0; i < p.posted; ++i) note("status", statuses[i]), note("id", p.ids[i]);
  } else if (how == 2) { /* gets after puts */
    note("wait puts", ncmpi_wait_all(p.ncid, NC_PUT_REQ_ALL, NULL, NULL));
    note("wait gets", ncmpi_wait_all(p.ncid, NC_GET_REQ_ALL, NULL, NULL));
  } else {
    note("wait", ncmpi_wait_all(p.ncid, NC_REQ_ALL, NULL, NULL));
  }
  int left = 0;
  note("nreqs", (ncmpi_inq_nreqs(p.ncid, &left), left));
  note("records", records());
  end_requests();
}

/* Variables without records that are new. */
static void write_new(void) {
  for (int i = 0; i < p.vars; ++i) {
    struct variable* v = &p.var[i];
    struct part part;
    if (v->records || v->written) continue;
    choose_part(v, 0, 0, &part);
    part.form = 2;
    for (int d = 0; d < v->dims; ++d) part.stride[d] = 1;
    MPI_Offset start = 0, count = 1;
    for (int d = 0; d < v->dims; ++d) {
      part.start[d] = 0;
      part.count[d] = v->shape[d];
    }
    if (v->dims > 0) {
      own_share(v->shape[0], &start, &count);
      part.start[0] = start;
      part.count[0] = count;
    }
    part.elements = 1;
    for (int d = 0; d < v->dims; ++d) part.elements *= part.count[d];
    part.span = part.elements;
    call(v, &part, 0, 0);
    v->written = 1;
  }
}

static void put(int way) {
  struct variable* v = &p.var[shared((uint32_t)p.vars)];
  struct part part;
  if (v->pending || (way && p.posted + 1 >= most_requests)) return;
  if (!v->records && way) v->pending = 1;
  const MPI_Offset many = 1 + shared(4), base = v->next_record + (shared(4) == 0);
  if (v->records) v->next_record = base + many;
  choose_part(v, base, many, &part);
  /* PnetCDF 1.15 never returns where a rank puts nothing into a variable of records. */
  if (way == 0 && v->records && part.some_empty) return;
  call(v, &part, 0, way);
}

/* Records before the last one that was put: what lies behind the end of the file is nothing in particular. */
static MPI_Offset readable(const struct variable* v) {
  const MPI_Offset in_file = records() - 1;
  return v->done - last_put < in_file ? v->done - last_put : in_file;
}

static void get(int way) {
  struct variable* v = &p.var[shared((uint32_t)p.vars)];
  struct part part;
  const MPI_Offset have =
      v->done - last_put; /* what lies behind the end of the file is nothing in particular */
  if ((v->records ? have <= 0 : !v->written) || p.posted + 1 >= most_requests || (way && v->getting)) return;
  v->getting |= way;
  reading = 1;
  const MPI_Offset base = v->records ? shared((uint32_t)have) : 0;
  choose_part(v, base, v->records ? have - base : 0, &part);
  reading = 0;
  call(v, &part, 1, way);
}

/* A wrong call, of all ranks or of one. */
static void wrong(void) {
  struct variable* v = &p.var[shared((uint32_t)p.vars)];
  struct part part;
  const int kind = (int)shared(5), one = (int)shared(2), reads = (int)shared(2), way = (int)shared(2);
  struct variable other = *v;
  reading = reads;
  choose_part(v, 0, v->records && reads && readable(v) > 0 ? readable(v) : 1, &part);
  reading = 0;
  if (way && reads == 0 && (v->pending || !v->records)) return;
  if (v->dims == 0 || (!reads && v->records) || (reads && v->records && readable(v) <= 0)) return;
  if (part.form == 5 || part.form == 4 || (way && reads && v->getting)) return;
  if (way && reads) v->getting = 1;
  if (!one || rank == 0) {
    if (kind == 0) part.start[0] = 100000 - (v->records && !reads ? 200000 : 0);
    if (kind == 1) part.count[v->dims - 1] += 100;
    if (kind == 2) part.count[v->dims - 1] = -1;
    if (kind == 3 && part.form == 3) part.stride[0] = 0;
    if (kind == 4 && !one) other.id = 4711;
  }
  if (part.span < 100) part.span = 100;
  call(&other, &part, reads, way);
}

static void define_more(void) {
  note("redef", ncmpi_redef(p.ncid));
  if (shared(2)) define_variable();
  if (shared(2)) {
    char name[16], text[400];
    memset(text, 'x', sizeof text);
    snprintf(name, sizeof name, "a%d", p.made++);
    ncmpi_put_att_text(p.ncid, NC_GLOBAL, name, (MPI_Offset)shared(400), text);
  }
  if (shared(4) == 0) put(1); /* posted while defining */
  note("enddef", shared(2) ? ncmpi_enddef(p.ncid) : ncmpi__enddef(p.ncid, 0, 4, 0, 512));
  write_new();
}

static void attach(void) {
  const MPI_Offset bytes = 1 + shared(20000); /* ranks may have pending puts and others none */
  MPI_Offset used = 0;
  if (p.attached) {
    note("usage", (ncmpi_inq_buffer_usage(p.ncid, &used), used));
    note("detach", ncmpi_buffer_detach(p.ncid));
    int left = 0;
    ncmpi_inq_nreqs(p.ncid, &left);
    p.attached = ncmpi_inq_buffer_usage(p.ncid, &used) == NC_NOERR;
  } else {
    note("attach", ncmpi_buffer_attach(p.ncid, bytes));
    p.attached = 1;
  }
}

static void step(void) {
  MPI_Barrier(MPI_COMM_WORLD); /* ranks write what others wrote before */
  const uint32_t which = shared(14);
  if (which < 3) return put(0);
  if (which < 6) return put(1);
  switch (which) {
    case 6:
      return put(2);
    case 7:
      return get(0);
    case 8:
      return get(1);
    case 9:
      return wrong();
    case 10:
      return attach();
    case 11:
      return shared(2) ? define_more() : (void)note("sync", ncmpi_sync(p.ncid));
    case 12:
      note("begin", ncmpi_begin_indep_data(p.ncid));
      p.independent = 1;
      /* A rank may then read what another writes meanwhile. */
      if (shared(2) && p.posted_gets == 0) wait_for_all();
      note("end", ncmpi_end_indep_data(p.ncid));
      p.independent = 0;
      note("records", records());
      return;
    default:
      return wait_for_all();
  }
}

static void run(const char* folder, int seed) {
  char path[4096];
  memset(&p, 0, sizeof p);
  shared_state = (uint64_t)seed * 2654435761u + 12345;
  own_state = shared_state ^ ((uint64_t)(rank + 1) * 40503u);
  for (int i = 0; i < 8; ++i) shared(2), own(2);
  note("seed", seed);
  snprintf(path, sizeof path, "%s/%d.nc", folder, seed);
  make_file(path);
  note("enddef", ncmpi_enddef(p.ncid));
  write_new();
  const int steps = 4 + (int)shared(24);
  for (int i = 0; i < steps; ++i) step();
  wait_for_all();
  MPI_Offset bytes = 0;
  for (int i = 0; i < p.vars; ++i) p.var[i].done = p.var[i].next_record;
  note("put size", (ncmpi_inq_put_size(p.ncid, &bytes), bytes > 0));
  note("close", ncmpi_close(p.ncid));
  MPI_Barrier(MPI_COMM_WORLD);
  note("open", ncmpi_open(MPI_COMM_WORLD, path, shared(2) ? NC_WRITE : NC_NOWRITE, MPI_INFO_NULL, &p.ncid));
  for (int i = 0; i < 6; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (shared(3) == 0)
      put(0);
    else
      get((int)shared(2));
  }
  wait_for_all();
  note("close", ncmpi_close(p.ncid));
}

int main(int argc, char** argv) {
  char name[4096];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 4) return 2;
  snprintf(name, sizeof name, "%s/%d.log", argv[1], rank);
  log_file = fopen(name, "w");
  setvbuf(log_file, NULL, _IOLBF, 0);
  for (int i = 0; i < atoi(argv[3]); ++i) {
    run(argv[1], atoi(argv[2]) + i);
    fflush(log_file);
  }
  fclose(log_file);
  MPI_Finalize();
  return 0;
}
