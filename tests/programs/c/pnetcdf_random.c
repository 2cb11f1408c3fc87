/* Random programs of PnetCDF: definitions, all forms of its data functions, types, records, waits for
 * some and for all, definitions in between, wrong calls. What a program does follows from its seed and the
 * number of ranks, so two libraries make the same files and the same log: codes, numbers of requests and
 * records, and what was read.
 *
 *     pnetcdf_random FOLDER FIRST_SEED COUNT
 *
 * Writes FOLDER/SEED.nc and FOLDER/RANK.log.
 */
#include "pnetcdf_several.h"

static void wait_for_all(void) {
  int statuses[most_requests];
  const int how = (int)shared(3);
  if (p.independent || how == 1) {
    note("wait", (p.independent ? ncmpi_wait : ncmpi_wait_all)(p.ncid, p.posted, p.ids, statuses));
    note_statuses(0, p.posted, statuses);
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

/* The first of this rank's requests, the others later. PnetCDF loses the records of puts waited for while
 * others are pending. */
static void wait_for_some(void) {
  int statuses[most_requests], some = 0;
  const int most = p.posted ? (int)own((uint32_t)p.posted) : 0;
  while (some < most && !p.record_puts[some]) ++some;
  note("wait for some", ncmpi_wait_all(p.ncid, some, p.ids, statuses));
  note_statuses(0, some, statuses);
  forget_requests(0, some);
  note("records", records());
}

static void cancel(void) {
  int status = 4711;
  if (shared(4) == 0) {
    note("cancel", ncmpi_cancel(p.ncid, NC_REQ_ALL, NULL, NULL));
    forget_requests(0, p.posted);
  } else if (p.posted) {
    const int which = (int)own((uint32_t)p.posted);
    note("cancel", ncmpi_cancel(p.ncid, 1, &p.ids[which], &status));
    note_statuses(which, 1, &status);
    forget_requests(which, 1);
  }
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
  if (v->pending || (way && p.rounds + 1 >= most_requests)) return;
  if (!v->records && way) v->pending = 1;
  const MPI_Offset many = 1 + shared(4), base = v->next_record + (shared(4) == 0);
  if (v->records) v->next_record = base + many;
  choose_part(v, base, many, &part);
  /* PnetCDF 1.15 never returns where a rank puts nothing into a variable of records. */
  if (way == 0 && v->records && part.some_empty) return;
  call(v, &part, 0, way);
  /* The same list again, of later records. */
  if (!way || !v->records || part.form != 5 || p.rounds + 1 >= most_requests || shared(2)) return;
  for (int i = 0; i < part.parts; ++i) part.starts[i][0] += many;
  v->next_record += many;
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
  const MPI_Offset have = readable(v);
  if ((v->records ? have <= 0 : !v->written) || p.rounds + 1 >= most_requests || (way && v->getting)) return;
  v->getting |= way;
  reading = 1;
  const MPI_Offset base = v->records ? shared((uint32_t)have) : 0;
  choose_part(v, base, v->records ? have - base : 0, &part);
  reading = 0;
  call(v, &part, 1, way);
}

/* The whole variable: all ranks put the same numbers. */
static void whole(int reads, int way) {
  struct variable* v = &p.var[shared((uint32_t)p.vars)];
  struct part part;
  if (p.rounds > 0 || v->pending || !v->written || (v->records && reads)) return;
  memset(&part, 0, sizeof part);
  part.elements = 1;
  for (int d = 0; d < v->dims; ++d) {
    part.count[d] = d == 0 && v->records ? records() : v->shape[d];
    part.elements *= part.count[d];
  }
  part.span = part.elements;
  if (v->records && v->next_record < part.count[0]) v->next_record = part.count[0];
  call(v, &part, reads, v->records ? 0 : way);
  if (!v->records && way) v->pending = v->getting = 1;
}

static void fill_record(void) {
  struct variable* v = &p.var[shared((uint32_t)p.vars)];
  if (!v->records || p.rounds > 0) return;
  note("fill record", ncmpi_fill_var_rec(p.ncid, v->id, v->next_record++));
  note("records", records());
}

/* ---- independent mode ---- */

/* Calls of this rank in independent mode, on variables that each rank has a part of to itself, and on records
 * that it has to itself. A variable has one call at most. */
static void go_alone(void) {
  const int before = p.posted, steps = (int)own(5);
  int statuses[most_requests], used[most_vars] = {0};
  MPI_Offset readable_now[most_vars];
  for (int i = 0; i < p.vars; ++i) readable_now[i] = readable(&p.var[i]);
  alone = 1;
  if (before == 0 && own(3) == 0) move_several(3);
  for (int i = 0; i < steps && p.posted + 1 < most_requests; ++i) {
    const int which = (int)own((uint32_t)p.vars);
    struct variable* v = &p.var[which];
    struct part part;
    const MPI_Offset have = readable_now[which];
    const int reads = (int)own(2), loses_records = v->records && !reads && before > 0;
    const int way = loses_records || own(2) ? 3 : 1 + (int)own(2 - (uint32_t)reads);
    if (used[which]++ || v->pending || v->getting || !(v->records ? !reads || have > 0 : v->written))
      continue;
    reading = reads;
    choose_part(v,
                !v->records ? 0
                : reads     ? (MPI_Offset)own((uint32_t)have)
                            : v->next_record + rank,
                1, &part);
    reading = 0;
    call(v, &part, reads, way);
    if (own(4) == 0) note("own records", records());
  }
  if (own(4) == 0 && p.posted > before) {
    note("cancel", ncmpi_cancel(p.ncid, 1, &p.ids[p.posted - 1], statuses));
    note_statuses(p.posted - 1, 1, statuses);
    forget_requests(p.posted - 1, 1);
  }
  note("wait alone", ncmpi_wait(p.ncid, p.posted - before, p.ids + before, statuses));
  note_statuses(before, p.posted - before, statuses);
  note("own records", records());
  forget_requests(before, p.posted - before);
  alone = 0;
}

static void independent(void) {
  note("begin", ncmpi_begin_indep_data(p.ncid));
  p.independent = 1;
  /* A rank may then read what another writes meanwhile. */
  if (shared(2) && p.posted_gets == 0) wait_for_all();
  MPI_Barrier(MPI_COMM_WORLD);
  const int gets = p.posted_gets;
  if (shared(2)) go_alone();
  if (shared(8) == 0) note("sync", ncmpi_sync(p.ncid));
  p.posted_gets = gets;
  for (int i = 0; i < p.vars; ++i)
    if (p.var[i].records) p.var[i].next_record += ranks;
  note("end", ncmpi_end_indep_data(p.ncid));
  p.independent = 0;
  note("records", records());
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
  if (one && way == 0 && p.sharing) return; /* PnetCDF 1.12 never returns from that */
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
  const uint32_t which = shared(18);
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
    case 13:
      return independent();
    case 14:
      return wait_for_some();
    case 15:
      return cancel();
    case 16:
      if (shared(2)) return shared(2) ? by_datatype() : move_several(0);
      return shared(2) ? whole((int)shared(2), (int)shared(2)) : fill_record();
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
