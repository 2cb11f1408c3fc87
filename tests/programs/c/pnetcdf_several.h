/* Calls of a random program of PnetCDF that move several variables, or have a datatype of the file. */
#include "pnetcdf_program.h"

enum { most_several = 3 };

/* A variable whose parts can be moved now, and this rank's part; null: there is none. */
static struct variable* choose_block(int reads, struct part* part) {
  struct variable* v = &p.var[shared((uint32_t)p.vars)];
  const int has_records = v->records && (reads || alone);
  if (p.rounds > 0 || v->pending || has_records || !(v->written || v->records) || v->dims == 0) return NULL;
  const MPI_Offset many = 1 + shared(3), base = v->next_record;
  reading = reads;
  choose_part(v, base, many, part);
  reading = 0;
  if (part->some_empty || part->form == 5) return NULL;
  if (v->records) v->next_record = base + many;
  return v;
}

/* way: as in data_function(). */
static void move_several(int way) {
  const int reads = (int)shared(2), flexible = (int)shared(2), tries = 1 + (int)shared(most_several);
  const int type = flexible ? 0 : (int)(int[]){NC_INT, NC_DOUBLE, NC_SHORT}[shared(3)];
  struct part part[most_several];
  int ids[most_several], count = 0;
  MPI_Offset *starts[most_several], *counts[most_several], *strides[most_several], *imaps[most_several],
      elements[most_several];
  MPI_Datatype types[most_several];
  void* buffers[most_several];
  size_t bytes[most_several];
  for (int i = 0; i < tries; ++i) {
    struct part* one = &part[count];
    struct variable* v = choose_block(reads, one);
    int twice = 0;
    for (int other = 0; v && other < count; ++other) twice |= ids[other] == v->id;
    if (!v || twice || one->form != part[0].form || (v->type == NC_CHAR && !flexible)) continue;
    const int memory = flexible ? v->type : type;
    bytes[count] = (size_t)one->span * type_bytes(memory) + 8;
    buffers[count] = calloc(1, bytes[count]);
    if (!reads) fill_buffer(memory, buffers[count], one->span, 0, 0);
    types[count] = mpi_type(memory);
    elements[count] = one->form == 4 ? -1 : one->elements;
    starts[count] = one->start;
    counts[count] = one->count;
    strides[count] = one->no_stride ? NULL : one->stride;
    imaps[count] = one->no_map ? NULL : one->imap;
    ids[count++] = v->id;
  }
  const struct several at = {p.ncid,
                             count ? part[0].form : 2,
                             count,
                             ids,
                             starts,
                             counts,
                             count && part[0].no_stride ? NULL : strides,
                             count && part[0].no_map ? NULL : imaps,
                             buffers,
                             elements,
                             types,
                             type};
  note("several", count ? 10 * count + part[0].form : 0);
  note(reads ? "mget" : "mput", several_function(reads, way, &at));
  for (int i = 0; i < count; ++i) {
    if (reads) note_bytes("read", buffers[i], bytes[i]);
    free(buffers[i]);
  }
}

/* A call that collio leaves to PnetCDF. */
static void by_datatype(void) {
  const int reads = (int)shared(2);
  int shape[most_dims], sizes[most_dims], first[most_dims];
  MPI_Offset elements = 1;
  MPI_Datatype in_file;
  struct part part;
  struct variable* v = NULL;
  for (int i = 0; i < 4 && (!v || v->records); ++i) v = choose_block(reads, &part);
  if (!v || v->records) return;
  for (int d = 0; d < v->dims; ++d) {
    shape[d] = (int)v->shape[d];
    sizes[d] = (int)part.count[d];
    first[d] = (int)part.start[d];
    elements *= part.count[d];
  }
  const MPI_Datatype type = mpi_type(v->type);
  MPI_Type_create_subarray(v->dims, shape, sizes, first, MPI_ORDER_C, type, &in_file);
  MPI_Type_commit(&in_file);
  void* buffer = calloc((size_t)elements, 8);
  if (!reads) fill_buffer(v->type, buffer, elements, 0, 0);
  note("vard", reads ? ncmpi_get_vard_all(p.ncid, v->id, in_file, buffer, elements, type)
                     : ncmpi_put_vard_all(p.ncid, v->id, in_file, buffer, elements, type));
  if (reads) note_bytes("read", buffer, (size_t)elements * 8);
  MPI_Type_free(&in_file);
  free(buffer);
}
